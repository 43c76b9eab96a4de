"""The learners' mathematics, against numbers worked out by hand."""

import math

import numpy as np
import pytest
import torch

from training.kernels import gae, lambda_targets
from training.losses import (
    approximate_kl,
    clipped_policy_loss,
    clone_loss,
    lesson_loss,
    normalised,
    segment_entropy,
    segment_log_softmax,
    segment_sum,
    value_loss,
)

SEGMENT = torch.tensor([0, 0, 1, 2, 2, 2])
SCORE = torch.tensor([0.0, math.log(3.0), 5.0, 1000.0, 1000.0, 1000.0 + math.log(2.0)])
PROBABILITY = torch.tensor([0.25, 0.75, 1.0, 0.25, 0.25, 0.5])


def test_segment_softmax_is_softmax_in_each_decision() -> None:
    log_prob = segment_log_softmax(SCORE, SEGMENT, 3)
    torch.testing.assert_close(log_prob.exp(), PROBABILITY, rtol=1e-4, atol=1e-4)
    for decision in range(3):
        rows = SEGMENT == decision
        torch.testing.assert_close(log_prob[rows], torch.log_softmax(SCORE[rows], 0), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(segment_sum(PROBABILITY, SEGMENT, 3), torch.ones(3))


def test_segment_softmax_has_the_right_gradient() -> None:
    score = torch.randn(6, dtype=torch.float64, requires_grad=True, generator=torch.Generator().manual_seed(1))
    assert torch.autograd.gradcheck(lambda s: segment_log_softmax(s, SEGMENT, 3), (score,))


def test_segment_entropy() -> None:
    entropy = segment_entropy(PROBABILITY.log(), SEGMENT, 3)
    first = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    torch.testing.assert_close(entropy, torch.tensor([first, 0.0, 1.5 * math.log(2.0)]))


def test_clone_loss_counts_labelled_decisions_only() -> None:
    log_prob = PROBABILITY.log()
    assert clone_loss(log_prob, torch.tensor([1, -1, 3])).item() == pytest.approx(
        -(math.log(0.75) + math.log(0.25)) / 2
    )
    assert clone_loss(log_prob, torch.tensor([-1, -1, -1])).item() == 0.0


def test_lesson_loss_is_least_where_scores_differ_as_costs_do() -> None:
    cost = torch.tensor([0.0, 4.0, 0.0, 0.0, -4.0, 2.0])
    expected = (0.75 * 4 + 0 + (-1.0 + 1.0)) / 3  # the mean over three decisions
    _, mean_cost = lesson_loss(2 * SCORE, SEGMENT, 3, cost, 2.0)
    torch.testing.assert_close(mean_cost, torch.tensor(expected), rtol=1e-4, atol=1e-4)
    best = (-cost + torch.tensor([3.0, 3.0, 1.0, -2.0, -2.0, -2.0])).requires_grad_()
    loss, _ = lesson_loss(best, SEGMENT, 3, cost, 2.0)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(best.grad, torch.zeros(6), atol=1e-6, rtol=0)
    worse = best.detach() + torch.tensor([0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    assert lesson_loss(worse, SEGMENT, 3, cost, 2.0)[0] > loss


def test_clipped_policy_loss() -> None:
    new = torch.tensor([1.5, 0.5, 1.5, 0.5]).log()
    advantage = torch.tensor([1.0, 1.0, -1.0, -1.0])
    # clipped at 1.2; 0.5 counts; 1.5 counts; clipped at 0.8
    assert clipped_policy_loss(new, torch.zeros(4), advantage, 0.2).item() == pytest.approx(
        -(1.2 + 0.5 - 1.5 - 0.8) / 4
    )


def test_approximate_kl() -> None:
    assert approximate_kl(torch.zeros(3), torch.zeros(3)).item() == 0.0
    assert approximate_kl(torch.tensor([math.log(2.0)]), torch.zeros(1)).item() == pytest.approx(1 - math.log(2.0))


def test_normalised_and_value_loss() -> None:
    values = normalised(torch.tensor([1.0, 2.0, 3.0]))
    torch.testing.assert_close(values, torch.tensor([-1.224745, 0.0, 1.224745]), rtol=1e-4, atol=1e-4)
    forecast, end = torch.tensor([[0.1, 0.3], [0.0, 0.0]]), torch.tensor([[0.2, 0.1], [0.0, 0.2]])
    assert value_loss(forecast, end).item() == pytest.approx((0.01 + 0.04 + 0.04) / 2)


# Two rounds of two seats, in the order of play: (round, seat).
GAME = np.array([0, 1, 0, 0, 1, 0], np.int64)
SEAT = np.array([0, 1, 1, 0, 1, 0], np.int64)


def test_gae_runs_along_a_seats_own_decisions() -> None:
    value = np.array([0.1, 0.5, 0.9, 0.2, 0.3, 0.4], np.float32)
    outcome = np.array([[1.0, -1.0], [-0.5, 0.5]], np.float32)
    advantage = np.zeros(6, np.float32)
    gae(GAME, SEAT, value, outcome, 0.5, advantage, np.zeros((2, 2, 2), np.float32))
    last = 1.0 - 0.4  # seat 0 of round 0: values 0.1, 0.2, 0.4, reward 1
    middle = 0.2 + 0.5 * last
    first = 0.1 + 0.5 * middle
    other_last = 0.5 - 0.3  # seat 1 of round 1: values 0.5, 0.3, reward 0.5
    other_first = -0.2 + 0.5 * other_last
    expected = [first, other_first, -1.0 - 0.9, middle, other_last, last]
    np.testing.assert_allclose(advantage, expected, rtol=1e-5)


def test_gae_with_lambda_one_is_the_end_less_the_value() -> None:
    value = np.linspace(0, 1, 6, dtype=np.float32)
    outcome = np.array([[1.0, -1.0], [-0.5, 0.5]], np.float32)
    advantage = np.zeros(6, np.float32)
    gae(GAME, SEAT, value, outcome, 1.0, advantage, np.zeros((2, 2, 2), np.float32))
    np.testing.assert_allclose(advantage, outcome[GAME, SEAT] - value, atol=1e-6)


def test_lambda_targets() -> None:
    outcome = np.zeros((2, 2, 2), np.float32)
    outcome[0, 0] = 1.0, 2.0
    outcome[1, 1] = 0.5, 0.25
    played = np.repeat(np.array([[0.1], [0.5], [0.9], [0.2], [0.3], [0.4]], np.float32), 2, 1)
    best = played + 0.05
    target = np.zeros((6, 2), np.float32)
    explored = np.array([False, False, False, True, False, False])
    lambda_targets(GAME, SEAT, played, best, explored, outcome.copy(), 0.5, target)
    np.testing.assert_allclose(target[5], [1.0, 2.0])
    np.testing.assert_allclose(target[3], [0.5 * 0.4 + 0.5 * 1.0, 0.5 * 0.4 + 0.5 * 2.0], rtol=1e-6)
    np.testing.assert_allclose(target[0], [0.25, 0.25], rtol=1e-6)  # a random move followed: the favourite's forecast
    np.testing.assert_allclose(target[1], [0.5 * 0.3 + 0.5 * 0.5, 0.5 * 0.3 + 0.5 * 0.25], rtol=1e-6)
    lambda_targets(GAME, SEAT, played, best, np.zeros(6, bool), outcome.copy(), 1.0, target)
    np.testing.assert_allclose(target, outcome[GAME, SEAT])
