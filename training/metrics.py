"""What a run writes down: one JSON object an update, TensorBoard scalars, and a progress bar with the time left."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self

from tqdm import tqdm  # type: ignore[import-untyped,unused-ignore]

from mtrain_env.errors import ConfigError

FILE: Final = "metrics.jsonl"

METRICS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "rate": "learning rate",
        "own_pips": "pips per round of the seats that learn (warm start: of hard)",
        "other_pips": "pips per round of their opponents, on average over seats",
        "explored": "share of random moves that differ from the favourite (warm start: of random moves)",
        "decisions": "decisions learned from",
        "value_loss": "squared error of the forecasts, (pips/100)^2, own and others' added",
        "value_explained": "share of the variance of (others' mean - own) that the value head's forecasts explain",
        "critic_explained": "and the critic's; both before they learn from these rounds",
        "critic_loss": "squared error of the critic's forecasts, as value_loss, but of the rounds' real ends always",
        "lessons": "decisions that were looked into",
        "lesson_cost": "pips that the moves drawn by the score lose to the favourites, in the lessons",
        "clone_loss": "cross-entropy with hard's moves, nats",
        "policy_loss": "clipped objective of PPO, normalised advantages",
        "entropy": "mean entropy of the policy, nats",
        "kl": "how far the policy moved in the update, nats",
        "clipped": "share of moves whose probability changed beyond the clip range",
        "epochs": "passes over the batch; fewer than configured: stopped by the KL watch",
        "gradient_norm": "norm of the gradient before clipping",
        "collect_seconds": "time to play the rounds",
        "learn_seconds": "time to learn from them",
        "wait_seconds": "time for which learning waited for rounds",
    }
)
"""Every metric of an update and its meaning; nothing else is written."""


class Metrics:
    """Writes metrics of updates to `folder`; lines after update `steps` are dropped when a run goes on from there."""

    def __init__(self, folder: Path, total: int, steps: int, *, bar: bool = True) -> None:
        from torch.utils.tensorboard import SummaryWriter  # takes a second to import

        _drop_after(folder / FILE, steps)
        self._file = (folder / FILE).open("a", encoding="utf-8")
        self._board = SummaryWriter(str(folder / "tensorboard"), purge_step=steps + 1)
        self._bar = tqdm(total=total, initial=steps, unit="update", disable=None if bar else True, leave=False)

    def write(self, step: int, phase: str, values: Mapping[str, float]) -> None:
        """Write the metrics of update number `step`, counted over all phases from 1."""
        for name in values:
            if name not in METRICS:
                raise ConfigError(f"{name!r} is no metric; list it in training/metrics.py.")
        line: dict[str, Any] = {"step": step, "phase": phase} | {k: round(v, 6) for k, v in values.items()}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        for name, value in values.items():
            self._board.add_scalar(f"{phase}/{name}", value, step, walltime=time.time())
        self._bar.set_description(phase)
        self._bar.set_postfix(pips=f"{values['own_pips']:.1f}", loss=f"{values['value_loss']:.4f}")
        self._bar.update(1)

    def say(self, text: str) -> None:
        """Print a line above the progress bar."""
        self._bar.write(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()
        self._file.close()
        self._board.close()


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """Return the metrics written so far; a last line that a crash cut off is left out."""
    lines = []
    if (folder / FILE).exists():
        for text in (folder / FILE).read_text(encoding="utf-8").splitlines():
            try:
                lines.append(json.loads(text))
            except ValueError:
                break
    return lines


def _drop_after(path: Path, steps: int) -> None:
    """Leave only the lines of updates up to `steps`: later ones were made after the checkpoint."""
    kept = [line for line in read_metrics(path.parent) if line["step"] <= steps]
    path.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
