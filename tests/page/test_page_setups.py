"""The set-up form and the help: what they offer, and what they refuse."""

import json
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtrain_env.bot import BOTS, make_bot, view_of
from mtrain_env.errors import MtrainError, RulesError
from mtrain_env.game import Game
from mtrain_env.play.help import TURNS, help_page
from mtrain_env.play.opponents import MEASURED, Opponents
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


def test_the_levels_are_as_strong_as_the_readme_says() -> None:
    rows = (Path(__file__).parents[2] / "README.md").read_text("utf-8").splitlines()
    known = Opponents().by_id
    assert {name for name in known if name in BOTS} - {"hard"} == set(MEASURED)
    for name, (gap, won, _) in MEASURED.items():
        (row,) = [row for row in rows if row.startswith(f"| {name} |")]
        assert f"{gap.mean:+.1f} [{gap.low:+.1f}, {gap.high:+.1f}] | {100 * won:.1f}%" in row
        assert f"{gap.mean:+.1f} pips a round against hard" in known[name].strength


def test_a_bundle_shows_its_measured_strength_and_what_it_was_trained_on(bundle: Path, tmp_path: Path) -> None:
    measured = Path(shutil.copytree(bundle, tmp_path / "other-1"))
    policy = json.loads((bundle / "policy.json").read_text("utf-8"))
    policy["strength"] = [
        {
            "rules": "core",
            "players": 4,
            "against": "hard",
            "seating": "one among copies",
            "mode": "round",
            "deals": 500,
            "deals_name": "x",
            "pips_difference": {"mean": -2.5, "low": -3.5, "high": -1.5},
            "won": {"mean": 0.31, "low": 0.29, "high": 0.33},
            "microseconds": None,
        }
    ]
    (measured / "policy.json").write_text(json.dumps(policy), "utf-8")
    bots = [f"learned:{bundle}", f"learned:{measured}", f"search:{bundle}:20", "expert:400"]
    known = Opponents(bots)
    shown = {one["id"]: one for one in known.as_json()}
    assert shown["learned:small-1"]["strength"] == "not measured"
    assert shown["learned:other-1"]["strength"].startswith("-2.5 pips a round against hard (95%: -3.5 to -1.5")
    assert shown["learned:small-1"]["about"].endswith("Trained on core with 2, 3, 4 players.")
    assert shown["search:small-1:20"]["strength"] == shown["expert:400"]["strength"] == "not measured"
    assert str(bundle.parent) not in json.dumps(known.as_json())
    assert [known.id_of(bot) for bot in bots] == [
        "learned:small-1",
        "learned:other-1",
        "search:small-1:20",
        "expert:400",
    ]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_round_has_about_as_many_turns_as_the_help_says(preset: str) -> None:
    bot, players = make_bot("medium"), 4
    turns = []
    for seed in range(12):
        game, count, last = Game(Rules.preset(preset, num_players=players), seed), 0, None
        while (seat := game.seat) is not None:
            count, last = count + (seat != last), seat
            view = view_of(game.games, 0, seat, np.array(game.legal_ids(), np.int16))
            (chosen,) = bot.act([view], np.random.default_rng(seed)) if len(view.legal) > 1 else (0,)
            game.act(int(view.legal[int(chosen)]))
        turns.append(count)
    assert 0.75 < np.mean(turns) / TURNS[preset][players] < 1.33, turns


def test_a_seed_of_the_form_is_that_of_the_game() -> None:
    assert made(seed=7).seed == 7
    assert made().seed != made().seed


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
