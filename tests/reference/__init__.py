"""A second implementation of shared/RULES.md, for differential tests (see game.py)."""

from .game import ReferenceGame, replay
from .tiles import ReferenceMismatch

__all__ = ["ReferenceGame", "ReferenceMismatch", "replay"]
