import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtrain_env import rules as vocabulary
from mtrain_env.errors import MtrainError
from mtrain_env.presets import PLAYERS
from mtrain_env.rules import (
    CHOICES,
    PRESETS,
    VARIATIONS,
    Rules,
    RulesError,
    field_names,
    load_rules,
    parse_setting,
)
from mtrain_env.rules_text import describe

TABLE = """
num_players                  4            4           4          4
max_pip                      12           9           12         12
hand_size                    15           10          15         7
num_rounds                   all          all         all        all
opening_order                descending   descending  descending ascending
opening_source               hunt         hunt        set_out    hunt
starter                      -            -           rotate     -
opening_turn                 start_train  ends_turn   -          optional_tile
first_turn                   chain        single      single     single
finish_first_lap             false        false       false      false
mexican_train                always       always      always     after_all
own_train_first              false        false       false      false
draw_limit                   per_owed_tile per_owed_tile per_turn per_turn
double_follow_up             anywhere     anywhere    on_double  on_double
double_duty                  table        none        table      table
exhausted_double             lapses       lapses      lapses     lapses
marker_on                    on_pass      on_pass     on_pass    not_on_own_double
marker_off                   own_play     any_play    own_play   any_play
failed_cover_marker_off_any  false        false       false      false
double_blank_points          0            0           0          0
special_tiles                false        false       false      true
derail                       -            -           -          one
derail_once                  -            -           -          false
"""
"""The table of RULES.md, section 9: pagat, dominoplay, core, deluxe."""

HAND_SIZES = {
    "pagat": {2: 15, 3: 15, 4: 15, 5: 12, 6: 12, 7: 10, 8: 10},
    "dominoplay": {2: 12, 3: 11, 4: 10}
    | {5: 12, 6: 11, 7: 10, 8: 9}
    | {9: 12, 10: 11, 11: 10, 12: 9}
    | {13: 12, 14: 11, 15: 10, 16: 9},
    "core": {2: 15, 3: 15, 4: 15},
    "deluxe": dict.fromkeys(range(2, 9), 7),
}


def refusal(build: object, /, **fields: object) -> str:
    """Return the sentence with which a preset refuses some fields."""
    with pytest.raises(RulesError) as refused:
        Rules.of(build, **fields)  # type: ignore[arg-type] # wrong types are part of what is tested
    return str(refused.value)


@pytest.mark.parametrize(("column", "preset"), list(enumerate(PRESETS)))
def test_section_9_presets_are_its_table(column: int, preset: str) -> None:
    words = {row.split()[0]: row.split()[column + 1] for row in TABLE.strip().splitlines()}
    plain = {"-": None, "true": True, "false": False}
    expected = {field: int(word) if word.isdigit() else plain.get(word, word) for field, word in words.items()}
    rules = Rules.preset(preset).as_dict()
    assert rules.pop("name") == preset
    assert rules == expected
    assert tuple(rules) == field_names()


@pytest.mark.parametrize("preset", PRESETS)
def test_section_9_hand_sizes_and_sets_go_by_the_players(preset: str) -> None:
    assert list(HAND_SIZES[preset]) == list(PLAYERS[preset])
    for players, hand_size in HAND_SIZES[preset].items():
        rules = Rules.preset(preset, num_players=players)
        sets = {range(2, 5): 9, range(5, 9): 12, range(9, 13): 15, range(13, 17): 18}
        max_pip = next(pip for span, pip in sets.items() if players in span) if preset == "dominoplay" else 12
        assert (rules.hand_size, rules.max_pip) == (hand_size, max_pip)


def test_section_9_a_hand_size_goes_by_the_players_also_with_another_set() -> None:
    assert Rules.preset("dominoplay", num_players=2, max_pip=18).hand_size == 12
    assert "need 60 tiles, but the double-9 set (max_pip=9) has 55" in refusal("pagat", max_pip=9)


@pytest.mark.parametrize("name", VARIATIONS)
def test_section_9_every_variation_builds_and_differs_as_it_says(name: str) -> None:
    preset, changed = VARIATIONS[name]
    rules, plain = Rules.preset(name), Rules.preset(preset)
    assert rules.name == preset
    assert rules != plain
    for field, value in changed.items():
        assert getattr(rules, field) == value
    assert Rules.of(name) == rules == load_rules(name)
    assert describe(rules).startswith(f"# Mexican Train: the rules `{preset}`, with ")


def test_the_order_of_values_is_fixed_because_the_engine_counts_on_it() -> None:
    assert vocabulary.OPENING_ORDERS == ("descending", "ascending", "even", "odd", "random", "chosen")
    assert vocabulary.OPENING_SOURCES == ("set_out", "hunt")
    assert vocabulary.STARTERS == ("rotate", "previous_winner")
    assert vocabulary.OPENING_TURNS == ("start_train", "optional_tile", "ends_turn")
    assert vocabulary.FIRST_TURNS == ("single", "chain")
    assert vocabulary.MEXICAN_TRAINS == ("always", "after_own", "after_all", "never")
    assert vocabulary.DRAW_LIMITS == ("per_owed_tile", "per_turn", "until_playable")
    assert vocabulary.FOLLOW_UPS == ("anywhere", "anywhere_optional", "on_double", "none")
    assert vocabulary.DUTIES == ("table", "none", "unless_followed")
    assert vocabulary.EXHAUSTED == ("lapses", "waits")
    assert vocabulary.MARKER_ON == ("on_pass", "not_on_own_double")
    assert vocabulary.MARKER_OFF == ("own_play", "any_play")
    assert vocabulary.DERAILS == ("one", "any")
    assert vocabulary.MAX_PIPS == (3, 6, 9, 12, 15, 18)


CONTRADICTIONS = [
    (
        "core",
        {"opening_order": "random"},
        "opening_order='random' needs opening_source='hunt', got 'set_out' (R2).",
    ),
    (
        "deluxe",
        {"opening_order": "chosen", "opening_source": "hunt"},
        "opening_order='chosen' needs opening_source='set_out', got 'hunt' (R2).",
    ),
    ("core", {"starter": None}, "opening_source='set_out' needs a value for starter, got None (R5)."),
    (
        "pagat",
        {"starter": "rotate"},
        "starter='rotate' goes only with opening_source='set_out', got 'hunt' (R5).",
    ),
    ("pagat", {"opening_turn": None}, "opening_source='hunt' needs a value for opening_turn, got None (R6)."),
    (
        "core",
        {"opening_turn": "start_train"},
        "opening_turn='start_train' goes only with opening_source='hunt', got 'set_out' (R6).",
    ),
    (
        "dominoplay",
        {"first_turn": "chain"},
        "first_turn='chain' with opening_source='hunt' needs opening_turn='start_train', got 'ends_turn' (R12).",
    ),
    (
        "pagat",
        {"opening_turn": "optional_tile"},
        "first_turn='chain' with opening_source='hunt' needs opening_turn='start_train', got 'optional_tile' (R12).",
    ),
    (
        "core",
        {"first_turn": "chain", "special_tiles": True},
        "first_turn='chain' needs special_tiles=False, got True (R12).",
    ),
    (
        "core",
        {"double_duty": "none"},
        "double_follow_up='on_double' needs double_duty='table', got 'none' (R16).",
    ),
    (
        "core",
        {"double_duty": "unless_followed"},
        "double_follow_up='on_double' needs double_duty='table', got 'unless_followed' (R16).",
    ),
    (
        "pagat",
        {"marker_on": "not_on_own_double"},
        "marker_on='not_on_own_double' needs double_follow_up='on_double', got 'anywhere' (R20).",
    ),
    (
        "dominoplay",
        {"failed_cover_marker_off_any": True},
        "failed_cover_marker_off_any=True needs marker_off='own_play', got 'any_play' (R21).",
    ),
    (
        "dominoplay",
        {"special_tiles": True},
        "special_tiles=True needs double_follow_up='on_double', got 'anywhere' (D1).",
    ),
    (
        "deluxe",
        {"double_follow_up": "none", "double_duty": "none", "marker_on": "on_pass"},
        "special_tiles=True needs double_follow_up='on_double', got 'none' (D1).",
    ),
    ("deluxe", {"double_duty": "none"}, "special_tiles=True needs double_duty='table', got 'none' (D1)."),
    ("core", {"derail": "one"}, "derail='one' goes only with special_tiles=True, got False (D10)."),
    ("core", {"derail_once": False}, "derail_once=False goes only with special_tiles=True, got False (D10)."),
    ("deluxe", {"derail": None}, "special_tiles=True needs a value for derail, got None (D10)."),
    ("deluxe", {"derail_once": None}, "special_tiles=True needs a value for derail_once, got None (D10)."),
    (
        "core",
        {"num_rounds": 14},
        "num_rounds=14 is more than the 13 opening doubles that opening_order='descending' has with max_pip=12 (R3).",
    ),
    (
        "deluxe",
        {"opening_order": "odd", "num_rounds": 7},
        "num_rounds=7 is more than the 6 opening doubles that opening_order='odd' has with max_pip=12 (R3).",
    ),
    (
        "core",
        {"max_pip": 9},
        "num_players=4 times hand_size=15 and one set out (opening_source='set_out') need 61 tiles, but the "
        "double-9 set (max_pip=9) has 55 (R1).",
    ),
    (
        "deluxe",
        {"num_players": 8, "hand_size": 14},
        "num_players=8 times hand_size=14 need 112 tiles, but the double-12 set (max_pip=12) has 91 + 14 "
        "special ones (special_tiles=True) = 105 (R1).",
    ),
    (
        "deluxe",
        {"num_players": 8, "hand_size": 13, "derail_once": True},
        "num_players=8 times hand_size=13 need 104 tiles, but the double-12 set (max_pip=12) has 91 + 14 "
        "special ones (special_tiles=True) - 2 that can leave the game (derail_once=True) = 103 (R1).",
    ),
    (
        "core",
        {"num_players": 5},
        "num_players=5 is not for the preset 'core', which takes 2 to 4 players; name='custom' lifts that.",
    ),
    (
        "deluxe",
        {"num_players": 17},
        "num_players=17 is not for the preset 'deluxe', which takes 2 to 8 players.",
    ),
]


@pytest.mark.parametrize(("preset", "fields", "sentence"), CONTRADICTIONS)
def test_a_contradiction_is_refused_in_a_sentence(preset: str, fields: dict[str, object], sentence: str) -> None:
    assert refusal(preset, **fields) == sentence


WRONG_VALUES = [
    ("num_players", 1, "num_players=1 is not for the preset 'core'"),
    ("num_players", "3", "num_players must be a whole number from 2 to 16, got '3'."),
    ("num_players", True, "num_players must be a whole number from 2 to 16, got True."),
    ("max_pip", 10, "max_pip must be one of 3, 6, 9, 12, 15, 18, got 10."),
    ("hand_size", 1, "hand_size must be a whole number of at least 2, got 1."),
    ("hand_size", 2.5, "hand_size must be a whole number of at least 2, got 2.5."),
    ("num_rounds", 0, "num_rounds must be 'all' or a whole number of at least 1, got 0."),
    ("num_rounds", "every", "num_rounds must be 'all' or a whole number of at least 1, got 'every'."),
    (
        "draw_limit",
        "once",
        "draw_limit must be one of 'per_owed_tile', 'per_turn', 'until_playable', got 'once'.",
    ),
    ("marker_on", None, "marker_on must be one of 'on_pass', 'not_on_own_double', got None."),
    ("own_train_first", 1, "own_train_first must be true or false, got 1."),
    ("double_blank_points", -1, "double_blank_points must be a whole number from 0 to 10000, got -1."),
    ("derail", "two", "derail must be one of 'one', 'any', got 'two'."),
    ("name", "deluxe", "name must be 'core' or 'custom' with preset='core', got 'deluxe'."),
    ("hand_sise", 12, "'hand_sise' is no field of the rules; did you mean 'hand_size'?"),
    ("zzz", 12, "'zzz' is no field of the rules; known are num_players, max_pip, "),
]


@pytest.mark.parametrize(("field", "value", "sentence"), WRONG_VALUES)
def test_a_wrong_value_is_refused_in_a_sentence(field: str, value: object, sentence: str) -> None:
    assert refusal("core", **{field: value}).startswith(sentence)


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ("cor", "'cor' is no name of rules; did you mean 'core'?"),
        ("dominoplay-chosn", "'dominoplay-chosn' is no name of rules; did you mean 'dominoplay-chosen'?"),
        ("qqq", "'qqq' is no name of rules; known are pagat, dominoplay, core, deluxe, "),
        (7, "Rules are a Rules object, a name or a dictionary, got int."),
        ({}, "num_players is missing: give every field, or start from a preset (pagat, "),
        ({"preset": "cor"}, "'cor' is no name of rules; did you mean 'core'?"),
        (
            {"preset": "core", "name": "deluxe"},
            "name must be 'core' or 'custom' with preset='core', got 'deluxe'.",
        ),
    ],
)
def test_rules_that_cannot_be_found_are_refused_in_a_sentence(rules: object, sentence: str) -> None:
    assert refusal(rules).startswith(sentence)


def test_errors_are_our_own_and_value_errors() -> None:
    assert issubclass(RulesError, MtrainError)
    assert issubclass(RulesError, ValueError)
    with pytest.raises(RulesError, match="hand_size must be"):
        Rules(**{**Rules.preset("core").as_dict(), "hand_size": "many"})


@pytest.mark.parametrize(
    ("preset", "fields", "followed"),
    [
        ("core", {"opening_source": "hunt"}, {"starter": None, "opening_turn": "start_train"}),
        ("pagat", {"opening_source": "set_out"}, {"starter": "rotate", "opening_turn": None}),
        ("deluxe", {"opening_source": "set_out"}, {"starter": "rotate", "opening_turn": None}),
        ("dominoplay", {"opening_source": "set_out"}, {"starter": "previous_winner", "opening_turn": None}),
        (
            "deluxe",
            {"opening_order": "chosen"},
            {"opening_source": "set_out", "starter": "rotate", "opening_turn": None},
        ),
        ("core", {"special_tiles": True}, {"derail": "one", "derail_once": False}),
        ("deluxe", {"special_tiles": False}, {"derail": None, "derail_once": None}),
    ],
)
def test_fields_left_open_follow_from_the_others(
    preset: str, fields: dict[str, object], followed: dict[str, object]
) -> None:
    rules = Rules.preset(preset, **fields).as_dict()
    assert rules == Rules.preset(preset).as_dict() | fields | followed


def test_replacing_fields_lets_others_follow_and_keeps_what_was_set() -> None:
    assert Rules.preset("dominoplay").replace(num_players=9) == Rules.preset("dominoplay", num_players=9)
    assert Rules.preset("dominoplay-chosen").replace(opening_order="even") == Rules.preset(
        "dominoplay", opening_order="even"
    )
    small = Rules.preset("dominoplay", num_players=2, hand_size=10)
    assert small.replace(num_players=3).hand_size == 10
    assert Rules.of(small, num_rounds=3) == Rules.preset("dominoplay", num_players=2, hand_size=10, num_rounds=3)
    assert Rules.of(small) is small


def test_custom_rules_leave_the_range_of_their_preset() -> None:
    rules = Rules.of({"preset": "core", "name": "custom", "num_players": 6})
    assert (rules.name, rules.num_players, rules.hand_size) == ("custom", 6, 15)
    assert Rules.of(rules.as_dict()) == rules
    assert rules.replace(num_players=5).num_players == 5
    assert describe(rules).startswith("# Mexican Train: the rules `custom`\n")
    assert refusal({"preset": "pagat", "name": "custom", "num_players": 9}).startswith("hand_size is missing")


def test_r2_r3_numbers_of_the_order() -> None:
    orders = {
        order: Rules.preset("deluxe", max_pip=6, hand_size=5, opening_order=order)
        for order in vocabulary.OPENING_ORDERS
    }
    assert orders["descending"].order_numbers == [6, 5, 4, 3, 2, 1, 0]
    assert orders["ascending"].order_numbers == [0, 1, 2, 3, 4, 5, 6]
    assert orders["even"].order_numbers == [0, 2, 4, 6]
    assert orders["odd"].order_numbers == [1, 3, 5]
    assert orders["random"].order_numbers == orders["chosen"].order_numbers == [0, 1, 2, 3, 4, 5, 6]
    assert [rules.rounds_in_game for rules in orders.values()] == [7, 7, 4, 3, 7, 7]
    assert Rules.preset("core", num_rounds=4).rounds_in_game == 4


def test_tiles_of_the_set() -> None:
    assert (Rules.preset("core").num_tiles, Rules.preset("core").num_special_tiles) == (91, 0)
    assert (Rules.preset("deluxe").num_tiles, Rules.preset("deluxe").num_special_tiles) == (91, 14)


def test_r1_a_deal_may_use_up_the_set() -> None:
    assert Rules.preset("core", num_players=2, hand_size=45).hand_size == 45
    assert "need 93 tiles" in refusal("core", num_players=2, hand_size=46)


def test_rules_are_values() -> None:
    rules = Rules.preset("deluxe")
    assert pickle.loads(pickle.dumps(rules)) == copy.deepcopy(rules) == rules
    assert len({rules, Rules.preset("deluxe"), Rules.preset("core")}) == 2
    with pytest.raises(ValueError, match="frozen"):
        rules.num_players = 3


def test_numbers_of_numpy_are_taken_as_plain_ones() -> None:
    players = Rules.preset("core", num_players=np.int64(3)).num_players
    assert (players, type(players)) == (3, int)


def random_fields() -> st.SearchStrategy[dict[str, object]]:
    choices = {field: st.sampled_from(values) for field, values in CHOICES.items()}
    return st.fixed_dictionaries({}, optional={**choices, "num_players": st.integers(2, 8)})


@given(preset=st.sampled_from(PRESETS), fields=random_fields())
def test_any_fields_give_rules_that_are_read_back_or_a_sentence(preset: str, fields: dict[str, object]) -> None:
    try:
        rules = Rules.preset(preset, **fields)
    except RulesError as error:
        assert str(error).endswith((".", "?"))
        assert any(field in str(error) for field in fields)
        return
    assert {field: getattr(rules, field) for field in fields} == fields
    assert Rules.of(json.loads(json.dumps(rules.as_dict()))) == rules
    assert Rules.preset(preset, **rules.differences()) == rules
    assert describe(rules)


def test_rules_from_files(tmp_path: Path) -> None:
    yaml_file, json_file = tmp_path / "mine.yaml", tmp_path / "mine.json"
    yaml_file.write_text("preset: core\nnum_rounds: 4\nown_train_first: yes\n", encoding="utf-8")
    json_file.write_text(json.dumps(Rules.preset("deluxe").as_dict()), encoding="utf-8")
    assert load_rules(yaml_file) == Rules.preset("core", num_rounds=4, own_train_first=True)
    assert load_rules(str(yaml_file), {"num_rounds": 7}).num_rounds == 7
    assert load_rules(json_file) == Rules.preset("deluxe")


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.yaml", None, "a.yaml cannot be read: No such file or directory."),
        ("a.yaml", "- core", "a.yaml must be fields with values, got list."),
        ("a.yaml", "core: [", "a.yaml cannot be read: while parsing"),
        ("a.json", "{", "a.json cannot be read: Expecting property name"),
        ("a.yaml", "preset: core\nhand_sise: 3", "'hand_sise' is no field of the rules; did you mean"),
        ("cor", None, "cor' is no name of rules and no file; "),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence(tmp_path: Path, name: str, text: str | None, sentence: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(RulesError) as refused:
        load_rules(tmp_path / name)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_settings() -> None:
    assert parse_setting("draw_limit=until_playable") == ("draw_limit", "until_playable")
    assert parse_setting(" num_players = 3 ") == ("num_players", 3)
    assert parse_setting("own_train_first=true") == ("own_train_first", True)
    assert parse_setting("starter=null") == ("starter", None)
    assert parse_setting("num_rounds=[") == ("num_rounds", "[")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("draw_limit", "'draw_limit' is no setting: write field=value, as in draw_limit=until_playable."),
        ("=3", "'=3' is no setting"),
        ("num_players=", "'num_players=' is no setting"),
        ("num_player=3", "'num_player' is no field of the rules; did you mean 'num_players'?"),
    ],
)
def test_a_bad_setting_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(RulesError) as refused:
        parse_setting(text)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("preset", "fields", "sentence"),
    [
        ("core", {}, "Whoever lays a double must cover it at once with another tile (R14)."),
        ("core", {"num_rounds": 1}, "After 1 round the lowest total wins"),
        ("core", {"double_blank_points": 50}, "A 0-0 left in hand counts 50."),
        ("core", {"mexican_train": "never"}, "There is no Mexican train (R8)."),
        ("pagat", {}, "A double left at the end of a chain sleeps"),
        ("dominoplay", {}, "A double left uncovered is an ordinary end of its train (R16)."),
        ("dominoplay", {"opening_order": "chosen"}, "the winner of the previous round chooses"),
        ("deluxe", {"opening_order": "random"}, "the first double, not used yet, that turns up"),
        ("deluxe", {"derail": "any"}, "any number of seats away, the same for everybody"),
        ("deluxe", {"derail_once": True}, "A Derail that was played leaves the set"),
    ],
)
def test_the_page_says_what_the_fields_mean(preset: str, fields: dict[str, object], sentence: str) -> None:
    assert sentence in describe(Rules.preset(preset, **fields))
