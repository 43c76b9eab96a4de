"""The set-up form and the help: what they offer, and what they refuse."""

from datetime import datetime
from typing import Any

import pytest

from mtrain_env.errors import MtrainError, RulesError
from mtrain_env.play.help import help_page
from mtrain_env.play.opponents import Opponents
from mtrain_env.play.setups import (
    PRESET_TITLES,
    ROUNDS,
    SWITCHES,
    Defaults,
    SetupError,
    build,
    offer,
    parse_until,
    read_form,
)
from mtrain_env.presets import PLAYERS, VARIATIONS
from mtrain_env.rules import PRESETS, Rules

NOW = datetime(2026, 1, 1, 12, 0)


def made(**form: Any) -> Any:
    """Return the set-up of a form, by default one person and one easy bot."""
    whole = {"rules": "core", "seats": [{"person": ""}, {"bot": "easy"}], **form}
    return build(read_form(whole), Opponents(), Defaults(), NOW)


def test_every_preset_and_every_written_variation_is_offered() -> None:
    assert set(PRESET_TITLES) == set(PRESETS)
    rounds = {name for name, (_, changes) in VARIATIONS.items() if set(changes) == {"num_rounds"}}
    assert set(SWITCHES) == set(VARIATIONS) - rounds
    shown = offer(Opponents(), Defaults())
    assert [one["id"] for one in shown["presets"]] == list(PLAYERS)
    switches = {switch["id"] for one in shown["presets"] for switch in one["switches"]}
    assert switches == set(SWITCHES)


@pytest.mark.parametrize("preset", PRESETS)
def test_each_offered_switch_makes_rules_at_every_number_of_players(preset: str) -> None:
    (shown,) = [one for one in offer(Opponents(), Defaults())["presets"] if one["id"] == preset]
    for count, size in shown["sizes"].items():
        seats = [{"person": ""}, *[{"bot": "easy"}] * (int(count) - 1)]
        assert made(rules=preset, seats=seats, rounds="all").rules.rounds_in_game == size["all"]
        for rounds in ROUNDS:
            if rounds <= size["all"]:
                assert made(rules=preset, seats=seats, rounds=rounds).rules.rounds_in_game == rounds
    for switch in shown["switches"]:
        rules = made(rules=preset, switches=[switch["id"]]).rules
        assert rules.differences() | {"num_players": 0} != {"num_players": 0}


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"seats": [{"bot": "easy"}] * 2}, "At least one seat must be a person."),
        ({"seats": [{"person": "A"}, {"bot": "nobody"}]}, "'nobody' is none of the opponents here."),
        ({"seats": [{"person": "A"}, {"bot": "learned:/etc"}]}, "'learned:/etc' is none of the opponents here."),
        ({"seats": [{"person": "A"}, {"person": "B", "bot": "easy"}]}, "Seat 2 is both a person and an opponent."),
        ({"rules": "given"}, "'given' is none of the rules here."),
        ({"rules": "../core"}, "'../core' is none of the rules here."),
        ({"switches": ["core-4-rounds"]}, "'core-4-rounds' is no variation."),
        ({"switches": ["deluxe-even", "deluxe-odd"], "rules": "deluxe"}, "contradict each other"),
        ({"until": "25:00"}, "'25:00' is no time of the day"),
        ({"rules": "deluxe", "switches": ["core-chain"]}, "R12"),
        ({"rounds": 0}, "rounds"),
        ({"seats": [{"person": "x" * 21}, {"bot": "easy"}]}, "seats.0.person"),
        ({"seats": [{"person": "A"}]}, "seats"),
        ({"speed": "warp"}, "speed"),
        ({"surprise": 1}, "surprise"),
        ({"seats": [{"person": "A"}] * 5}, "2 to 4 players"),
    ],
)
def test_a_wrong_form_is_refused_in_a_sentence(form: dict[str, Any], sentence: str) -> None:
    with pytest.raises((SetupError, RulesError), match=sentence.replace(".", r"\.")):
        made(**form)


def test_names_are_made_clean_and_different() -> None:
    people = [{"person": " Ada\u202e\n "}, {"person": "Ada"}, {"person": ""}, {"bot": "easy"}]
    names = made(seats=people).names
    assert names == ["Ada", "Ada'", "Player 3", "Bo"]
    assert made().names == ["You", "Ada"]
    assert made(seats=[{"person": "You"}, {"person": "You"}]).names == ["Player 1", "Player 2"]


def test_the_end_time_is_the_next_one() -> None:
    assert parse_until("22:00", NOW) == datetime(2026, 1, 1, 22, 0)
    assert parse_until("9:30", NOW) == datetime(2026, 1, 2, 9, 30)


def test_the_rules_of_the_command_line_are_offered_first() -> None:
    rules = Rules.preset("core", num_players=3, hand_size=9)
    defaults = Defaults(rules=rules, rules_name="mine.yaml", players=3, seed=4)
    first = offer(Opponents(), defaults)["presets"][0]
    assert (first["id"], list(first["sizes"])) == ("given", [3])
    form = read_form({"rules": "given", "seats": [{"person": ""}, {"bot": "easy"}, {"bot": "hard"}]})
    setup = build(form, Opponents(), defaults, NOW)
    assert (setup.rules, setup.seed) == (rules, 4)


def test_an_opponent_of_the_command_line_must_be_one() -> None:
    with pytest.raises(MtrainError):
        Opponents(["harrd"])
    assert list(Opponents(["hard"]).by_id) == list(Opponents().by_id)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_help_tells_the_rules_without_the_ids_of_clauses(preset: str) -> None:
    blocks = help_page(Rules.preset(preset), Opponents())["blocks"]
    text = "\n".join("".join(span[1] for span in spans) for _, spans in blocks)
    assert "(R" not in text
    assert "(D" not in text
    for wanted in ("The opponents", "Tips", "Questions", "How long it takes", "boneyard", "Keys"):
        assert wanted in text
    assert ("Derail" in text) == (preset == "deluxe")
    assert {tag for tag, _ in blocks} <= {"h2", "h3", "p", "li"}
