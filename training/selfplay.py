"""Learning by self-play, from the first weight to the last: `python -m training.selfplay --config configs/smoke.yaml`.

1. Warm start: rounds of hard are played; the network forecasts their ends and imitates some of hard's moves.
2. Self-play: the network plays rounds against itself, past selves and hard, and learns from its own decisions.

While one batch is learned from, the next is collected by a thread with the weights of one update before. Called
again, a run goes on from its checkpoint, as if it had never stopped (the same weights, bit for bit, on a CPU).
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import numpy as np
import torch
import yaml

from mtrain_env.errors import ConfigError, MtrainError
from training.batch import Batch
from training.checkpoint import FILE, Run, load_run, new_run, player_of, save_run, write_atomically
from training.collector import OPPONENTS, SELF_PLAY, SHUFFLE, WARM, Collector, Teacher
from training.config import TUNING_SEED, Config, describe, load_config
from training.learning import Trainee, falling
from training.metrics import Metrics
from training.network import CandidateNetwork
from training.picture import draw_progress
from training.ppo import ppo_update
from training.start import network_of_bundle
from training.strength import as_dict, sentence, strength
from training.value import forecast_targets, value_update, warm_update

Update = Callable[[Trainee, Batch, Config, np.random.Generator], dict[str, float]]

_LEAST: Final = 0.1
"""The warm start ends with this share of its learning rate."""


class Session:
    """One start of a run: it ends when the run is done, when its time is up, or when somebody asks it to stop."""

    def __init__(self, config: Config, folder: Path, run: Run, *, bar: bool = True) -> None:
        self.config, self.folder, self.run = config, folder, run
        self.stop = False
        """Set by a signal: finish the update, write a checkpoint, and end."""
        torch.set_num_threads(config.threads)
        self.rules = config.all_rules()
        columns = run.trainee.network.columns.numpy()
        self._rivals = [network_of_bundle(name, columns) for name in config.rivals]
        self._collecting: Future[Batch] | None = None
        self._thread = ThreadPoolExecutor(1) if config.overlap else None
        self._saved = time.monotonic()
        total = config.warm_updates + config.updates
        self.metrics = Metrics(folder, total, run.progress.steps, bar=bar)

    def learn(self) -> bool:
        """Go on to the end; return whether it was reached."""
        progress = self.run.progress
        with self.metrics:
            try:
                self._compile()
                if progress.phase == "warm":
                    self._warm_start()
                if progress.phase == "selfplay":
                    self._self_play()
            finally:
                if self._thread is not None:
                    self._thread.shutdown(cancel_futures=True)
        return progress.phase == "done"

    def _compile(self) -> None:
        """Compile the kernels (once for a version of the sources), so that it does not count as learning."""
        network = self.run.trainee.network
        few = max(2, len(self.rules))
        Teacher(self.config, self.rules, few, network.columns.numpy()).play(0)
        batch = Collector(self.config, self.rules, few).self_play(network, network, 0, 0.5)
        forecast_targets(network, batch, 0.5)

    # -- 1. the warm start

    def _warm_start(self) -> None:
        config, progress, trainee = self.config, self.run.progress, self.run.trainee
        teacher = None
        if progress.update < config.warm_updates:
            teacher = Teacher(config, self.rules, config.warm_rounds, trainee.network.columns.numpy())
        while teacher is not None and progress.update < config.warm_updates and self._has_time(0.5):
            began, k = time.monotonic(), progress.update
            batch = self._next(teacher.play, k)
            waited = time.monotonic()
            if k + 1 < config.warm_updates:
                self._ahead(teacher.play, k + 1)
            rate = falling(config.warm_rate, _LEAST * config.warm_rate, k, config.warm_updates)
            shuffle = np.random.default_rng((config.seed, SHUFFLE, WARM, k))
            if k >= config.warm_end_share * config.warm_updates and config.warm_lambda < 1:
                batch = forecast_targets(trainee.mean, batch, config.warm_lambda)
            self._count(batch, began, waited, self._learn(warm_update, batch, rate, 1, shuffle))
            if self._pause():
                return
        self._measure("warm", "After the warm start")
        progress.phase, progress.update = "selfplay", 0
        self.run.pool = [player_of(config, trainee)]
        if config.against:
            self.run.pool = [network_of_bundle(config.against, trainee.network.columns.numpy())]
        self.run.actor = self.run.opponent = self.run.pool[0]
        self._save()

    # -- 2. self-play

    def _self_play(self) -> None:
        config, run, progress = self.config, self.run, self.run.progress
        collector = Collector(config, self.rules, config.rounds)
        update = ppo_update if config.learner == "ppo" else value_update
        while progress.update < config.updates and self._has_time(1.0):
            began, k = time.monotonic(), progress.update
            batch = self._next(collector.self_play, run.actor, run.opponent, k, self._explore(k))
            waited = time.monotonic()
            run.actor, run.opponent = player_of(config, run.trainee), self._draw_past(k + 1)
            if k + 1 < config.updates:
                self._ahead(collector.self_play, run.actor, run.opponent, k + 1, self._explore(k + 1))
            rate = falling(config.rate, config.rate_end, k, config.updates)
            shuffle = np.random.default_rng((config.seed, SHUFFLE, SELF_PLAY, k))
            losses = self._learn(update, batch, rate, config.epochs, shuffle)
            if not config.overlap:
                run.actor = player_of(config, run.trainee)
            if (k + 1) % config.pool_every == 0 and not config.against:
                run.pool = [*run.pool, player_of(config, run.trainee)][-config.pool_size :]
            self._count(batch, began, waited, losses)
            if config.watch_every and progress.update % config.watch_every == 0 and progress.update < config.updates:
                self._measure("selfplay", f"After update {progress.update} of {config.updates}")
            if self._pause():
                return
        self._measure("selfplay", "After self-play")
        progress.phase, run.actor, run.opponent = "done", None, None
        self._save()

    def _explore(self, k: int) -> float:
        """Return the share of random moves in the rounds of update k."""
        return falling(self.config.explore, self.config.explore_end, k, self.config.updates)

    def _draw_past(self, k: int) -> CandidateNetwork:
        """Return the past self, or the rival, that plays in the rounds of update k."""
        rng = np.random.default_rng((self.config.seed, OPPONENTS, SELF_PLAY, k))
        known = [*self.run.pool, *self._rivals]
        return known[rng.integers(len(known))]

    # -- around an update

    def _learn(
        self, update: Update, batch: Batch, rate: float, epochs: int, shuffle: np.random.Generator
    ) -> dict[str, float]:
        """Learn from a batch: the network by `update`, and the critic, if there is one, `epochs` times over it."""
        config, trainee, critic = self.config, self.run.trainee, self.run.critic
        trainee.set_rate(rate)
        if critic is None:
            return update(trainee, batch, config, shuffle) | {"rate": rate}
        batch, explained = critic.judge(batch)
        losses = update(trainee, batch, config, shuffle) | explained
        return losses | critic.learn(batch, epochs, rate, shuffle) | {"rate": rate}

    def _next(self, collect: Callable[..., Batch], *arguments: Any) -> Batch:  # noqa: ANN401
        """Return the batch that is being collected, or collect it now."""
        ready, self._collecting = self._collecting, None
        return collect(*arguments) if ready is None else ready.result()

    def _ahead(self, collect: Callable[..., Batch], *arguments: Any) -> None:  # noqa: ANN401
        """Begin to collect the next batch, if there is a thread for it."""
        if self._thread is not None:
            self._collecting = self._thread.submit(collect, *arguments)

    def _has_time(self, share: float) -> bool:
        """Whether less than this share of the time allowed has been spent on learning."""
        limit, progress = self.config.max_seconds * share, self.run.progress
        if limit == 0 or progress.seconds < limit:
            return True
        progress.stopped_by_time = True
        self._collecting = None
        return False

    def _count(self, batch: Batch, began: float, waited: float, values: dict[str, float]) -> None:
        """An update is done: count it and write its metrics."""
        now, progress = time.monotonic(), self.run.progress
        progress.update += 1
        progress.steps += 1
        progress.rounds += batch.rounds
        progress.decisions += len(batch)
        progress.seconds += now - began
        times = {
            "collect_seconds": batch.seconds,
            "learn_seconds": now - waited,
            "wait_seconds": waited - began,
        }
        played = {
            "own_pips": float(batch.pips[0]),
            "other_pips": float(batch.pips[1]),
            "explored": batch.explored,
            "decisions": float(len(batch)),
        }
        self.metrics.write(progress.steps, progress.phase, values | played | times)

    def _pause(self) -> bool:
        """Write a checkpoint if it is time for one; return whether to end now."""
        if self.stop or time.monotonic() - self._saved >= self.config.checkpoint_seconds:
            self._save()
        return self.stop

    def _save(self) -> None:
        save_run(self.folder, self.config, self.run)
        self._saved = time.monotonic()

    def _measure(self, phase: str, when: str) -> None:
        """Measure and print the strength against hard, or the bundle to be exploited, for each player count."""
        others = f"learned:{self.config.against}" if self.config.against else "hard"
        network = player_of(self.config, self.run.trainee)
        progress = self.run.progress
        self.metrics.say(f"{when} ({progress.rounds} rounds, {progress.seconds:.0f} s of learning so far):")
        matches = []
        for rules in self.rules:
            result = strength(network, self.config.node_cap, rules, others, self.config.watch_deals, TUNING_SEED)
            matches.append(as_dict(result))
            self.metrics.say("  " + sentence(result))
        progress.strength[phase] = matches
        point = {"step": progress.steps, "rounds": progress.rounds, "seconds": progress.seconds, "matches": matches}
        progress.curve.append(point)
        draw_progress(self.folder, self.config.name, progress.curve)


@contextmanager
def asked_to_stop(session: Session) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the session after the update that it is at; a second one ends it at once."""

    def ask(number: int, frame: FrameType | None) -> None:
        if session.stop:
            raise KeyboardInterrupt
        session.stop = True
        session.metrics.say("Stopping after this update; once more stops at once.")

    try:
        before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread: nobody can press Ctrl-C here
        before = {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def open_run(config: Config, folder: Path, *, restart: bool = False) -> Run:
    """Return the run in `folder` as far as it is, or a new one; settings must be those it began with."""
    if restart or not (folder / FILE).exists():
        folder.mkdir(parents=True, exist_ok=True)
        for leftover in (folder / FILE, folder / "metrics.jsonl", *folder.glob("tensorboard/events.*")):
            leftover.unlink(missing_ok=True)
        text = yaml.safe_dump(config.as_dict(), sort_keys=False, allow_unicode=True)
        write_atomically(folder / "config.yaml", text.encode())
        return new_run(config)
    begun, run = load_run(folder)
    if begun.digest != config.digest:
        changed = [key for key, value in config.as_dict().items() if begun.as_dict()[key] != value]
        raise ConfigError(
            f"The run in {folder} began with another {', '.join(changed)}: take another --run-dir, or --restart."
        )
    return run


def train(config: Config, folder: str | Path, *, restart: bool = False, bar: bool = True) -> tuple[Run, bool]:
    """Learn until the run in `folder` is done, or somebody stops it; return it and whether it is done."""
    folder = Path(folder)
    run = open_run(config, folder, restart=restart)
    if run.progress.phase == "done":
        return run, True
    session = Session(config, folder, run, bar=bar)
    with asked_to_stop(session):
        done = session.learn()
    return run, done


def parser(about: str) -> argparse.ArgumentParser:
    """Return the options that all training commands have."""
    options = argparse.ArgumentParser(description=about)
    options.add_argument("--run-dir", type=Path, help="folder of the run (runs/NAME)")
    options.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting")
    options.add_argument("--restart", action="store_true", help="throw away what the folder has and begin anew")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    options = parser("Learn Mexican Train by self-play; called again, goes on where it was.")
    options.add_argument("--config", type=Path, default=Path("configs/smoke.yaml"), help="settings in YAML")
    options.add_argument("--fields", action="store_true", help="print all settings with their meanings")
    given = options.parse_args(arguments)
    if given.fields:
        print(describe())
        return 0

    def job() -> int:
        config = load_config(given.config, given.set)
        folder = given.run_dir or Path("runs") / config.name
        run, done = train(config, folder, restart=given.restart)
        print(describe_end(run, folder, done))
        return 0 if done else 130

    return status_of(job)


def status_of(job: Callable[[], int]) -> int:
    """Do the job of a training command; return its exit status: 2 after a mistake, in a sentence, 130 if stopped."""
    try:
        return job()
    except MtrainError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped at once; the same command goes on from the last checkpoint.")
        return 130


def describe_end(run: Run, folder: Path, done: bool) -> str:
    """Return a sentence about how a session ended, and what one may do next."""
    progress = run.progress
    if not done:
        return f"Stopped after update {progress.steps}; the same command goes on."
    early = " (stopped by max_seconds)" if progress.stopped_by_time else ""
    return (
        f"The run in {folder} is finished{early}: {progress.steps} updates, {progress.rounds} rounds, "
        f"{progress.seconds:.0f} s of learning. --restart begins anew, --run-dir takes another folder."
    )


if __name__ == "__main__":
    sys.exit(main())
