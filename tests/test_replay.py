"""Records: golden games replay in engine and reference and are written anew to the byte; tampered ones are refused."""

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mtrain_env.cli import main
from mtrain_env.encoding.record import dumps, loads
from mtrain_env.errors import RecordError
from mtrain_env.game import Game
from mtrain_env.presets import PRESETS, VARIATIONS
from mtrain_env.replay import replay, replay_all
from mtrain_env.rules import Rules
from tests.engine.random_rules import random_rules
from tests.reference import replay as reference_replay
from tests.regenerate import FOLDER, PRESET_GAMES, record_text, transcripts

Line = dict[str, Any]
Output = pytest.CaptureFixture[str]
NAMES = sorted(transcripts())


def golden(name: str) -> list[Line]:
    return loads((FOLDER / f"{name}.jsonl").read_text("utf-8"))


def without_legal(lines: list[Line]) -> list[Line]:
    return [{key: value for key, value in line.items() if key != "legal"} for line in lines]


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_record_is_replayed_by_engine_and_reference(name: str) -> None:
    text = (FOLDER / name).read_text("utf-8")
    lines = loads(text)
    game = replay(lines)
    assert without_legal(game.record()) == without_legal(lines)
    reference = reference_replay(lines)
    assert (reference.winners, reference.totals) == (game.winners, game.totals)


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_record_is_written_anew_to_the_byte(name: str) -> None:
    assert record_text(*transcripts()[name]) == (FOLDER / name).read_text("utf-8")


def test_there_are_golden_records_of_everything_and_they_are_small() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == NAMES
    assert {f"{name}.jsonl" for name in VARIATIONS} <= set(NAMES)
    assert all(sum(preset == name for preset, _, _ in PRESET_GAMES) >= 2 for name in PRESETS)
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 1_500_000


def test_records_of_random_rules_are_replayed() -> None:
    chance = random.Random(1)
    for seed in range(40):
        rules = random_rules(chance, num_rounds=2, max_pip=chance.choice((3, 6)))
        lines = loads(record_text(rules, seed))
        assert without_legal(replay(lines).record()) == without_legal(lines)


def test_several_games_in_one_file() -> None:
    lines = golden("core-chain") + golden("deluxe-4-players")
    assert [game.rules.name for game in replay_all(lines)] == ["core", "deluxe"]
    with pytest.raises(RecordError, match="must hold one game, it holds 2"):
        replay(lines)


def test_a_game_that_was_stopped() -> None:
    game = Game(Rules.preset("core", num_rounds=3), 1)
    while not game.round_over:
        game.act(game.legal_ids()[0])
    game.stop("time")
    lines = game.record()
    assert [*lines[-2]] == ["stopped"]
    assert replay(lines).record() == lines
    with pytest.raises(RecordError, match="ends with line"):
        replay(lines[:-1])


def test_incidents_are_kept_and_other_events_do_no_harm() -> None:
    lines = golden("core-blank-50")
    incident = {"event": "incident", "seat": 2, "what": "late"}
    with_it = [*lines[:5], incident, *lines[5:]]
    assert without_legal(replay(with_it).record()) == without_legal(with_it)
    assert replay([line for line in lines if "event" not in line]).record() == replay(lines).record()


Change = Callable[[list[Line]], None]


def first(lines: list[Line], key: str) -> int:
    return next(k for k, line in enumerate(lines) if key in line)


def put(key: str, what: str, value: object) -> Change:
    """Give the first line that has `key` another value under `what`."""

    def change(lines: list[Line]) -> None:
        lines[first(lines, key)][what] = value

    return change


def drop(key: str, what: str) -> Change:
    def change(lines: list[Line]) -> None:
        del lines[first(lines, key)][what]

    return change


def remove(key: str) -> Change:
    def change(lines: list[Line]) -> None:
        del lines[first(lines, key)]

    return change


def repeat(key: str) -> Change:
    def change(lines: list[Line]) -> None:
        k = first(lines, key)
        lines.insert(k, copy.deepcopy(lines[k]))

    return change


def swap_tiles(lines: list[Line]) -> None:
    deal = lines[1]["deal"]
    deal[0][0] = deal[1][0]


def drop_tile(lines: list[Line]) -> None:
    lines[1]["boneyard"].pop()


def move_tile(lines: list[Line]) -> None:
    lines[1]["boneyard"].append(lines[1]["deal"][0].pop())


def change_rule(lines: list[Line]) -> None:
    lines[0]["rules"]["draw_limit"] = "never"


def drop_rule(lines: list[Line]) -> None:
    del lines[0]["rules"]["marker_on"]


def lie_about_legal(lines: list[Line]) -> None:
    line = next(line for line in lines if len(line.get("legal", ())) > 1)
    line["legal"].pop()


def next_seat(lines: list[Line]) -> None:
    line = lines[first(lines, "do")]
    line["seat"] = (line["seat"] + 1) % 4


def other_end(lines: list[Line]) -> None:
    line = lines[first(lines, "end")]
    line["end"] = "out" if line["end"] == "blocked" else "blocked"


def better_totals(lines: list[Line]) -> None:
    lines[-1]["totals"][0] -= 1


def other_winner(lines: list[Line]) -> None:
    lines[-1]["winners"] = [(lines[-1]["winners"][0] + 1) % 4]


def trade_line(lines: list[Line]) -> Line:
    return next(line for line in lines if "took" in line)


def take_what_is_not_there(lines: list[Line]) -> None:
    line = trade_line(lines)
    line["took"] = line["do"].split()[2]


def take_nothing(lines: list[Line]) -> None:
    del trade_line(lines)["took"]


TAMPERED: list[tuple[str, Change, str]] = [
    (
        "core-4-rounds",
        put("format", "format", "mtrain-record/2"),
        r"Line 1 of the record: the format is 'mtrain-record/2'",
    ),
    ("core-4-rounds", put("format", "format", "mtrain-view/1"), r"Line 1 .* not 'mtrain-record/1'"),
    ("core-4-rounds", put("format", "rules", "core"), r"Line 1 .* the rules must be an object"),
    ("core-4-rounds", put("format", "seed", -1), r"Line 1 .* the seed must be a whole number"),
    ("core-4-rounds", put("format", "bots", "easy"), r"Line 1 .* the bots must be a list of names"),
    ("core-4-rounds", change_rule, r"Line 1 .* the rules cannot be: draw_limit must be one of"),
    ("core-4-rounds", drop_rule, r"Line 1 .* the rules must give every field, resolved; see marker_on"),
    ("core-4-rounds", drop("format", "seed"), r"Line 1 .* a line with 'format' lacks 'seed'"),
    ("core-4-rounds", put("round", "round", 2), r"Line 2 .* this is round 1, not 2"),
    ("core-4-rounds", put("round", "opening", 11), r"Line 2 .* the opening double is 11, but by the rules 12"),
    ("core-4-rounds", put("round", "opening", True), r"Line 2 .* True is no opening double of this set"),
    ("core-4-rounds", put("round", "opening", 99), r"Line 2 .* 99 is no opening double of this set"),
    ("core-4-rounds", put("round", "hunting_seat", 0), r"Line 2 .* nobody hunts for a double that is set out"),
    ("core-4-rounds", put("round", "starter", 4), r"Line 2 .* the starter is 4, which is no seat"),
    ("core-4-rounds", put("round", "deal", []), r"Line 2 .* 0 hands are dealt to 4 players"),
    ("core-4-rounds", put("round", "deal", 7), r"Line 2 .* deal must be a list of hands"),
    ("core-4-rounds", put("round", "boneyard", ["13-13"]), r"Line 2 .* There is no tile 13-13 in the double-12 set"),
    ("core-4-rounds", put("round", "boneyard", ["3-2"]), r"Line 2 .* the tile 2-3 is written '3-2'"),
    ("core-4-rounds", put("round", "boneyard", ["wild"]), r"Line 2 .* 'wild' is a special tile"),
    ("core-4-rounds", put("round", "boneyard", [5]), r"Line 2 .* 5 is no tile"),
    ("core-4-rounds", swap_tiles, r"Line 2 .* the tiles are not those of the set: round 1 lacks .* and has too many"),
    ("core-4-rounds", drop_tile, r"Line 2 .* round 1 lacks"),
    ("core-4-rounds", move_tile, r"Line 2 .* P0 is dealt 14 tiles, not 15"),
    ("core-4-rounds", repeat("round"), r"Line 3 .* a round is dealt, but not now"),
    ("core-4-rounds", remove("round"), r"Line 2 .* an action is given, but no round is being played"),
    ("core-4-rounds", next_seat, r"Line 3 .* seat \d acts, but it is the turn of seat \d"),
    ("core-4-rounds", put("do", "seat", False), r"Line 3 .* seat False acts"),
    ("core-4-rounds", put("do", "do", "0-0 > P0"), r"Line 3 .* playable now: "),
    ("core-4-rounds", put("do", "do", "jump"), r"Line 3 .* cannot be read as an action"),
    ("core-4-rounds", put("do", "do", 7), r"Line 3 .* an action must be a text, got 7"),
    ("core-4-rounds", put("do", "took", "1-2"), r"Line 3 .* takes no tile"),
    ("core-4-rounds", put("do", "note", "well played"), r"Line 3 .* a line with 'do' has no 'note'"),
    ("core-4-rounds", put("do", "legal", "all"), r"Line 3 .* the record gives 'all'"),
    ("core-4-rounds", lie_about_legal, r"Line \d+ .* the legal actions are"),
    ("core-4-rounds", remove("do"), r"Line \d+ of the record: "),
    ("core-4-rounds", remove("end"), r"Line \d+ .* the line with 'end' is missing here"),
    ("core-4-rounds", repeat("end"), r"Line \d+ .* a line with 'end' does not belong here"),
    ("core-4-rounds", put("end", "winner", 9), r"Line \d+ .* winner is 9, but by the rules"),
    ("core-4-rounds", put("end", "pips", [0, 0, 0, 0]), r"Line \d+ .* pips is \[0, 0, 0, 0\], but by the rules"),
    ("core-4-rounds", put("end", "totals", [1, 2]), r"Line \d+ .* totals is \[1, 2\]"),
    ("core-4-rounds", other_end, r"Line \d+ .* end is '(out|blocked)', but by the rules"),
    ("core-4-rounds", better_totals, r"Line \d+ .* totals is"),
    ("core-4-rounds", other_winner, r"Line \d+ .* winners is"),
    ("core-4-rounds", remove("winners"), r"The record ends with line \d+, before the line with the winners"),
    (
        "core-4-rounds",
        lambda lines: lines.append({"seat": 0, "do": "pass"}),
        r"Line \d+ .* the game is over, but another",
    ),
    ("core-4-rounds", lambda lines: lines.insert(2, {"stopped": "time"}), r"Line 3 .* a line with 'stopped' does not"),
    ("core-4-rounds", lambda lines: lines.insert(2, {"hello": 1}), r"Line 3 .* nobody knows a line with 'hello'"),
    ("core-4-rounds", lambda lines: lines.clear(), r"The record is empty"),
    ("pagat-4-players", put("round", "hunting_seat", None), r"Line 2 .* the hunting_seat is None, which is no seat"),
    ("pagat-4-players", put("round", "starter", 7), r"Line 2 .* the starter is 7, but with this deal it is \d"),
    ("deluxe-random", put("round", "opening", 12), r"Line 2 .* the opening is 12, but with this deal it is \d+"),
    ("dominoplay-chosen", put("choose", "choose", 10), r"Line 2 .* the double of 10 cannot be chosen"),
    ("dominoplay-chosen", put("choose", "seat", 5), r"Line 2 .* seat 5 acts"),
    ("dominoplay-chosen", repeat("choose"), r"Line 3 .* an opening double is chosen, but not now"),
    ("dominoplay-chosen", remove("choose"), r"Line 2 .* a round is dealt, but not now"),
    ("dominoplay-chosen", put("round", "opening", 1), r"Line 3 .* the opening double is 1, but by the rules \d"),
    ("deluxe-derail-any", take_what_is_not_there, r"Line \d+ .* which P\d does not hold"),
    ("deluxe-derail-any", take_nothing, r"Line \d+ .* the tile that 'trade .*' took is missing"),
]


@pytest.mark.parametrize(("name", "change", "sentence"), TAMPERED)
def test_a_tampered_record_is_refused(name: str, change: Change, sentence: str) -> None:
    lines = golden(name)
    change(lines)
    with pytest.raises(RecordError, match=sentence):
        list(replay_all(lines))


@pytest.mark.parametrize("key", ["opening", "hunting_seat", "starter"])
def test_r2_r4_r5_a_later_round_begins_as_the_rules_say(key: str) -> None:
    for name in ("pagat-4-players", "core-4-rounds"):
        lines = golden(name)
        second = [line for line in lines if "deal" in line][1]
        second[key] = 3 if second[key] is None else (second[key] + 1) % 4
        with pytest.raises(RecordError, match=r"^Line \d+ of the record: .*(by the rules|with this deal|nobody hunts)"):
            replay(lines)


def test_no_random_damage_gets_through_and_none_crashes() -> None:
    """Other values in random places: refused, or (an event, a name, a seed) without meaning for the game."""
    chance = random.Random(2)
    values: tuple[object, ...] = (None, True, -1, 3, 99, 1.5, "", "P0", "0-1", "draw", [], {}, [1], {"seat": 1})
    for name in ("core-4-players", "deluxe-4-players", "dominoplay-chosen"):
        for _ in range(60):
            lines = golden(name)
            line = chance.choice([line for line in lines if "event" not in line])
            key = chance.choice(list(line))
            line[key] = value = chance.choice([value for value in values if value != line[key]])
            if key in ("seed", "bots") and isinstance(value, int | list):
                continue
            with pytest.raises(RecordError):
                replay(lines)
                raise AssertionError(f"{key} = {value!r} was taken")


def test_a_replay_needs_no_seed() -> None:
    """The deals come from the record, not from the shuffler."""
    lines = golden("deluxe-even")
    lines[0]["seed"] += 1
    assert replay(lines).record()[1:] == without_legal(lines)[1:]


def test_the_command_records_and_replays(tmp_path: Path, capsys: Output) -> None:
    file = tmp_path / "games.jsonl"
    words = ["--rules", "pagat", "--players", "3", "--seed", "7", "--bots", "easy,hard,easy", "--set", "num_rounds=1"]
    assert main(["record", *words, "--games", "2", "--legal", "-o", str(file)]) == 0
    assert capsys.readouterr().out == ""
    games = list(replay_all(loads(file.read_text("utf-8"))))
    assert [(game.seed, game.bots) for game in games] == [(7, ["easy", "hard", "easy"]), (8, ["easy", "hard", "easy"])]
    assert main(["replay", str(file), "--check"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("seed 7: 1 rounds, ")
    assert all(line.endswith(", ok") for line in shown)
    assert main(["replay", str(file)]) == 0
    story = capsys.readouterr().out
    assert "Round 1: opening double 12-12, hunted from P" in story
    assert story.count("The game is won by P") == 2


def test_the_same_seed_records_the_same_game(capsys: Output) -> None:
    words = ["record", "--rules", "deluxe", "--set", "num_rounds=1", "--seed", "3", "--bots", "medium"]
    assert main(words) == 0
    once = capsys.readouterr().out
    assert main(words) == 0
    assert capsys.readouterr().out == once
    assert len(json.loads(once.splitlines()[0])["bots"]) == 4


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["record", "--bots", "easy,easy"], "mtrain: --bots names 2 bots for 4 players"),
        (["record", "--bots", "eesy"], "mtrain: 'eesy' is no bot; did you mean 'easy'?"),
        (["record", "--games", "0"], "mtrain: --games must be at least 1"),
        (["replay", "nowhere.jsonl"], "mtrain: The record nowhere.jsonl cannot be read"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(words: list[str], sentence: str, capsys: Output) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.startswith(sentence)


def test_a_bad_record_is_one_sentence_and_exit_code_2(tmp_path: Path, capsys: Output) -> None:
    file = tmp_path / "bad.jsonl"
    lines = golden("core-chain")
    better_totals(lines)
    for text in (dumps(lines), dumps(lines)[:-20], "[]\n", "hello\n", ""):
        file.write_text(text, encoding="utf-8")
        assert main(["replay", str(file), "--check"]) == 2
        shown = capsys.readouterr()
        assert shown.err.startswith("mtrain: ")
        assert shown.err.count("\n") == 1
