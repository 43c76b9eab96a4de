"""The candidate network: heads, widening, weighing; learning rates and the running mean."""

import numpy as np
import pytest
import torch

from mtrain_env.encoding.candidates import CAND_LAYOUT, CAND_WIDTH
from mtrain_env.errors import ConfigError
from tests.training.tiny import network_of, tiny
from training.columns import used_columns
from training.learning import Trainee, falling
from training.network import OTHERS, OWN


def test_widened_ignores_what_was_left_out() -> None:
    config = tiny()
    network = network_of(config)
    wide = network.widened()
    rows = torch.rand(5, CAND_WIDTH)
    score, value = wide(rows)
    torch.testing.assert_close((score, value), network(rows[:, network.columns]))
    changed = rows.clone()
    for name in config.ignore:
        changed[:, CAND_LAYOUT[name]] = 9.0
    torch.testing.assert_close(wide(changed)[0], score)


def test_the_score_weighs_in_the_value() -> None:
    network = network_of(tiny())
    rows = torch.rand(5, network.width)
    score, value = network(rows)
    judgement = value[:, OTHERS] - value[:, OWN]
    network.weigh_value(0.5)
    torch.testing.assert_close(network(rows)[0], 0.5 * score + judgement)
    network.weigh_value(0.0)
    torch.testing.assert_close(network(rows)[0], judgement)


def test_bfloat16_is_close_whatever_the_number_of_rows() -> None:
    network = network_of(tiny())
    rows = torch.rand(200, network.width, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        score, value = network(rows)
        rough_score, rough_value = network.in_bfloat16()(rows)
        torch.testing.assert_close(rough_score, score, rtol=0.02, atol=0.01)
        torch.testing.assert_close(rough_value, value, rtol=0.02, atol=0.01)
        assert not torch.equal(rough_value, value)
        torch.testing.assert_close(network.in_bfloat16()(rows[:3])[1], rough_value[:3], rtol=1e-6, atol=1e-6)


def test_columns() -> None:
    rules = tiny().all_rules()
    assert "totals" in CAND_LAYOUT
    everything = used_columns(rules, ())
    without = used_columns(rules, ("totals",))
    assert len(everything) - len(without) == 3 + 3  # the slice, and the last column of next, previous and worst
    assert set(without) < set(everything)
    assert not set(everything) & set(range(CAND_LAYOUT["hand"].start + 91, CAND_LAYOUT["hand"].stop))
    with pytest.raises(ConfigError, match="'hands' in ignore"):
        used_columns(rules, ("hands",))


def test_same_seed_same_network() -> None:
    first, second = network_of(tiny()).state_dict(), network_of(tiny()).state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_falling() -> None:
    assert [falling(1.0, 0.0, k, 5) for k in range(6)] == pytest.approx([1, 0.75, 0.5, 0.25, 0, 0])
    assert falling(1.0, 0.0, 0, 1) == 1.0


def test_running_mean() -> None:
    config = tiny(average=0.9)
    network = network_of(config).requires_grad_(True)
    trainee = Trainee(network, config)
    before = [p.detach().clone() for p in network.parameters()]
    score, value = network(torch.rand(4, network.width))
    trainee.step(score.sum() + value.sum())
    decay = min(0.9, 1 / 11)
    for mean, old, new in zip(trainee.mean.parameters(), before, network.parameters(), strict=True):
        torch.testing.assert_close(mean, decay * old + (1 - decay) * new)
    player = trainee.player()
    trainee.step(network(torch.rand(4, network.width))[0].sum())
    assert not np.array_equal(player.score.weight.numpy(), trainee.mean.score.weight.numpy())
    assert not any(p.requires_grad for p in player.parameters())
