"""The gate of learning: five minutes from random weights, without a bot to imitate, must beat random play clearly."""

from pathlib import Path

import pytest

from training.checkpoint import player_of
from training.config import REPORT_SEED, Config
from training.selfplay import train
from training.strength import sentence, strength

FROM_NOTHING = Config(
    name="gate",
    players=(4,),
    hidden=(128, 64),
    warm_updates=0,
    clone_cost=0.0,
    hard_share=0.0,
    updates=150,
    rounds=256,
    explore=0.2,
    explore_end=0.02,
    rate=1e-3,
    rate_end=1e-4,
    td_lambda=0.9,
    average=0.99,
    watch_deals=20,
    max_seconds=300.0,
)


@pytest.mark.soak
def test_five_minutes_from_random_weights_beat_easy(tmp_path: Path) -> None:
    run, done = train(FROM_NOTHING, tmp_path, bar=False)
    assert done and run.progress.seconds <= 310
    network = player_of(FROM_NOTHING, run.trainee)
    results = {
        level: strength(network, FROM_NOTHING.node_cap, FROM_NOTHING.all_rules()[0], level, 300, REPORT_SEED)
        for level in ("easy", "medium", "hard")
    }
    for result in results.values():
        print(f"{run.progress.seconds:.0f} s, {run.progress.rounds} rounds; {sentence(result)}")
    assert results["easy"].pips_difference.high < 0
