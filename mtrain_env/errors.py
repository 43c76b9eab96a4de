"""Every error that mtrain_env raises on purpose: one sentence for people, and no more."""


class MtrainError(Exception):
    """Base of all errors of this library; `str(error)` is a sentence that can be shown as it is."""


class RulesError(MtrainError, ValueError):
    """A field, a value or a combination that no rules can have (RULES.md, section 9)."""


class InvalidAction(MtrainError, ValueError):
    """A text or an id that names no action at all."""


class IllegalAction(MtrainError, ValueError):
    """An action that exists but may not be done now."""


class RecordError(MtrainError, ValueError):
    """A record that is damaged, tampered with or of an unknown format."""


class PositionError(MtrainError, ValueError):
    """A position (mtrain-position/1) that cannot be read or contradicts itself."""


class BundleError(MtrainError, ValueError):
    """An opponent's bundle that is incomplete, damaged or of an unknown format."""


class BotError(MtrainError, ValueError):
    """A name that no bot has, or a bot that cannot be made or used."""


class ConfigError(MtrainError, ValueError):
    """A configuration file or setting that cannot be used."""
