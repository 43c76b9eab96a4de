"""The recipe for RLlib from its start to a bundle, and on a cluster of two nodes, one of which dies."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")

import ray
from ray.cluster_utils import Cluster

from mtrain_env.bot import make_bot
from mtrain_env.bots.bundle import load_bundle
from mtrain_env.cli import main as mtrain
from mtrain_env.rules import Rules
from training.__main__ import show_round
from training.recipes import rllib
from training.recipes.common import finish

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        # RLlib registers its wrapper of an environment with Gymnasium each time that it makes one.
        "ignore:.*Overriding environment rllib-multi-agent-env-v0 already in registry:UserWarning"
    ),
]

SMALL = rllib.Settings(
    players=2, opponents=("past",), steps=400, envs=2, batch=400, minibatch=100, epochs=1, hidden=(16, 8), refresh=1
)
RULES = Rules.preset("core", num_players=2)
NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}


@pytest.fixture(autouse=True)
def polite(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep Ray from writing a token into the home directory, and its workers from starving on a busy machine."""
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_worker_niceness", "0")  # 15 by default


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A cluster with one node, the head."""
    cluster = Cluster(initialize_head=True, head_node_args=NODE)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_it_trains_measures_and_exports_a_bundle_that_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "rllib"
    result = finish(rllib.learn(SMALL, RULES), RULES, place, deals=2)
    *updates, last = capsys.readouterr().out.splitlines()
    assert len(updates) == 2 and all("learner " in line for line in updates)
    assert last.startswith("ray 2.") and "against easy (core, 2 players" in last
    assert mtrain(["bundle", "check", str(place)]) == 0
    policy = load_bundle(place).policy
    assert policy.provenance.config["recipe"] == "ray" and policy.provenance.config["opponents"] == ["past"]
    assert not isinstance(policy.strength, str)
    assert [(line.against, line.deals) for line in policy.strength] == [("easy", 2)]
    assert result.deals.count == 2
    assert show_round(make_bot(f"learned:{place}"), RULES, 3)[-1].startswith("Pips left: ")


def nodes_of(algorithm: Any) -> list[str]:
    """The node of each environment runner that answers."""
    return list(
        algorithm.env_runner_group.foreach_env_runner(
            lambda _: ray.get_runtime_context().get_node_id(), local_env_runner=False, timeout_seconds=20
        )
    )


def past_is_the_same_everywhere(algorithm: Any) -> bool:
    """Whether all runners play against the same past self, which the runner of this process has too."""
    values = algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.module["past_1"].get_state())
    assert len(values) > 1
    return all((one[name] == values[0][name]).all() for one in values for name in one)


def alive() -> set[str]:
    """The nodes that the cluster believes to be alive."""
    return {node["NodeID"] for node in ray.nodes() if node["Alive"]}


def test_training_goes_on_when_a_node_of_two_dies(cluster: Cluster) -> None:
    second = cluster.add_node(**NODE)
    ray.init(cluster.address, logging_level="ERROR", log_to_driver=False)
    settings = replace(SMALL, runners=2, steps=10**9)
    algorithm = rllib.config_of(settings, RULES).build_algo()
    training = rllib.updates(algorithm, settings)

    def healthy() -> int:
        return int(algorithm.env_runner_group.num_healthy_remote_workers())

    def train(until: Callable[[], bool] = lambda: True) -> None:
        """An update, or as many as it takes; in each all decisions are played, and something is learned."""
        for _ in range(100):
            before = rllib.weights_of(algorithm)["score.weight"]
            _, result = next(training)
            played = result["env_runners"]["num_env_steps_sampled"]
            print(f"    {played:.0f} decisions by {healthy()} runners on {len(alive())} nodes")
            assert played >= settings.batch
            assert (rllib.weights_of(algorithm)["score.weight"] != before).any()
            if until():
                return
        raise AssertionError("It did not happen in 100 updates.")

    both = set(nodes_of(algorithm))
    print(f"\nAn environment runner on each of two nodes: {both}")
    assert len(both) == 2 and both == alive()
    train()
    train()
    cluster.remove_node(second, allow_graceful=False)
    print("The second node was killed.")
    train(until=lambda: healthy() == 1 and len(alive()) == 1)
    train()
    left = nodes_of(algorithm)
    print(f"What is left: {left}")
    assert set(left) == alive() < both and len(left) == 1
    cluster.add_node(**NODE)
    print("A new node joined.")
    train(until=lambda: healthy() == 2)
    train()
    print(f"An environment runner on each of two nodes: {set(nodes_of(algorithm))}")
    assert set(nodes_of(algorithm)) == alive() != both
    assert past_is_the_same_everywhere(algorithm)
    algorithm.stop()
