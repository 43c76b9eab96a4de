"""What a seat cannot know changes nothing that it sees: deals are redrawn and everything is compared; see leaks.py."""

from typing import Any

import numpy as np
import pytest

from mtrain_env.envs.aec import RawMexicanTrain
from mtrain_env.rules import Rules
from tests.encoding.worlds import all_rules, rules_id
from tests.envs.leaks import Games, Onlooker, Seen, watch


@pytest.mark.parametrize("rules", all_rules(), ids=rules_id)
def test_r26_nothing_hidden_shows(rules: Rules) -> None:
    found = watch(rules, 1, 180, worlds=2, texts=13, pictures=151)
    assert found.counts["triples"] >= 180 and found.counts["texts"] > 12 and found.counts["pictures"] > 1
    assert found.counts["changed"] > 100
    assert not found.leaks


class PipSum(RawMexicanTrain):
    """Shows to every seat how many pips the others hold."""

    def observe(self, agent: str) -> Any:
        """As the environment, and more."""
        seen, s = super().observe(agent), self.tables.games[0]
        hands = [s["hand"][seat] for seat in range(self.tables.players) if seat != self._seat_of[agent]]
        pips = sum(number * int(bits).bit_count() for hand in hands for number, bits in enumerate(hand))
        row = seen["observation"] if isinstance(seen, dict) else seen
        row[-1] += pips / 10_000
        return seen


class NextTile(RawMexicanTrain):
    """Shows which tile will be drawn next."""

    def observe(self, agent: str) -> Any:
        """As the environment, and more."""
        seen, s = super().observe(agent), self.tables.games[0]
        row = seen["observation"] if isinstance(seen, dict) else seen
        if s["deck_next"] < s["deck_size"]:
            row[-1] += s["deck"][int(s["deck_next"])] / 10_000
        return seen


class MaskOfTheMover(RawMexicanTrain):
    """Shows the mask of the seat to move to every seat."""

    def observe(self, agent: str) -> Any:
        """As the environment, and more."""
        seen = super().observe(agent)
        if isinstance(seen, dict):
            seen["action_mask"] = super().observe(self.agent_selection)["action_mask"]
        return seen


class HandInInfos(RawMexicanTrain):
    """Has all hands in every info."""

    def _info(self, count: int = 0) -> dict[str, Any]:
        return super()._info(count) | {"hands": self.tables.games[0]["hand"].copy()}


class HandInARefusal(RawMexicanTrain):
    """Names in an error how many pips the next seat holds of the highest number."""

    def step(self, action: Any) -> None:
        """As the environment, but for the sentence."""
        seat = (self._seat + 1) % self.tables.players
        self.tables.seats[0] = int(self.tables.games[0]["hand"][seat][: self.rules.max_pip + 1].sum() % 100)
        super().step(action)


class HandInAPicture(RawMexicanTrain):
    """Shows the hand of the seat to move in every picture."""

    def render(self) -> Any:
        """As the environment, with the wrong hand."""
        self._renderer.seat = self._seat
        return super().render()


LEAKS: dict[type[RawMexicanTrain], set[str]] = {
    PipSum: {"observe.observation", "observe, mask in infos"},
    NextTile: {"observe.observation", "observe, mask in infos"},
    MaskOfTheMover: {"observe.action_mask"},
    HandInInfos: {"infos.hands", "infos, mask in infos.hands"},
    HandInARefusal: {"error of aec"},
    HandInAPicture: {"rgb_array for None", "svg for None", "ansi for None"},
}


@pytest.mark.parametrize("preset", ["core", "pagat", "dominoplay", "deluxe"])
@pytest.mark.parametrize("leaky", LEAKS, ids=lambda leaky: leaky.__name__)
def test_planted_leaks_are_caught(leaky: type[RawMexicanTrain], preset: str) -> None:
    rules = Rules.preset(preset)
    found = watch(rules, 2, 48, texts=1, pictures=23, onlooker=Onlooker(rules, leaky))
    assert LEAKS[leaky] <= found.leaks.keys()


class FormerDeal(Onlooker):
    """A bot's view with the deck as it is, and candidate rows that know the tile to be drawn."""

    def data(self, games: Games, seat: int) -> Seen:
        """As Onlooker.data, and more."""
        seen = super().data(games, seat)
        seen["view"] = seen["view"], games[0]["deck"].tobytes()
        if "candidates" in seen:
            seen["candidates"] += games[0]["deck"][int(games[0]["deck_next"])].tobytes()
        return seen


def test_planted_leaks_in_views_and_rows_are_caught() -> None:
    rules = Rules.preset("core")
    found = watch(rules, 3, 48, onlooker=FormerDeal(rules))
    assert {"view", "candidates"} == found.leaks.keys()
    assert found.leaks["view"] == found.counts["triples"]


def test_the_table_without_hands_is_the_same_for_everybody() -> None:
    rules = Rules.preset("deluxe")
    eyes = Onlooker(rules)
    game = eyes.single
    game.reset(seed=3)
    pictures = [eyes.pictures(game.tables.games, seat) for seat in range(4)]
    assert len({picture["svg for None"] for picture in pictures}) == 1
    assert len({picture[f"svg for {seat}"] for seat, picture in enumerate(pictures)}) == 4
    assert np.frombuffer(pictures[0]["rgb_array for None"], np.uint8).std() > 0
