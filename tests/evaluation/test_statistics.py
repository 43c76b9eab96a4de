"""Intervals against what is known, and the power formula."""

import numpy as np
import pytest

from mtrain_env.evaluation.statistics import Interval, bootstrap, deals_needed


def test_equal_values_have_no_width() -> None:
    assert bootstrap(np.full(50, 2.5)) == Interval(2.5, 2.5, 2.5)


def test_a_normal_sample_has_its_known_interval() -> None:
    """The mean of n values with deviation s lies within 1.96 s / sqrt(n)."""
    values = np.random.default_rng(1).normal(3, 2, 4000)
    found = bootstrap(values)
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert found.mean == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.1 * half)
    assert 3 in found and 4 not in found


def test_two_deals_by_hand() -> None:
    """Resamples of (0, 1) have the mean 0 in a quarter of the cases, 1/2 in a half and 1 in a quarter."""
    values = np.array([0.0, 1.0])
    assert bootstrap(values, level=0.4) == Interval(0.5, 0.5, 0.5)
    assert bootstrap(values, level=0.6) == Interval(0.5, 0.0, 1.0)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    hits = sum(5 in bootstrap(rng.exponential(5, 100), resamples=500, seed=k) for k in range(300))
    assert 0.90 < hits / 300 < 0.98


def test_a_seed_reproduces_the_interval_and_large_samples_are_drawn_in_blocks() -> None:
    values = np.random.default_rng(3).normal(size=30_000)
    assert bootstrap(values, resamples=300) == bootstrap(values, resamples=300)
    assert bootstrap(values, resamples=300) != bootstrap(values, resamples=300, seed=1)


def test_no_values_have_no_mean() -> None:
    with pytest.raises(ValueError, match="one or more values"):
        bootstrap(np.zeros(0))


def test_deals_needed_by_the_formula() -> None:
    """((1.96 + 0.8416) * 10)^2 = 784.9, and a quarter of it for twice the difference."""
    assert deals_needed(10, 1) == 785
    assert deals_needed(10, -2) == 197
    assert deals_needed(10, 1, power=0.9) == 1051
    assert deals_needed(0, 1) == 2
    with pytest.raises(ValueError, match="difference of 0"):
        deals_needed(1, 0)


def test_the_number_of_deals_has_the_power_it_promises() -> None:
    rng, count = np.random.default_rng(4), deals_needed(4, 1)
    found = [0 not in bootstrap(rng.normal(1, 4, count), resamples=400) for _ in range(300)]
    assert 0.72 < np.mean(found) < 0.88
