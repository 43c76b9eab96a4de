import numpy as np
import pytest

from mtrain_env import tiles
from mtrain_env.errors import InvalidAction
from mtrain_env.tiles import parse_tile, tile_count, tile_id, tile_text


def test_ids_run_through_the_set_without_gap() -> None:
    ids = [tile_id(low, high) for high in range(19) for low in range(high + 1)]
    assert ids == list(range(tiles.MAX_TILES))


@pytest.mark.parametrize(("max_pip", "count"), [(3, 10), (6, 28), (9, 55), (12, 91), (15, 136), (18, 190)])
def test_a_smaller_set_is_the_first_ids_of_the_largest(max_pip: int, count: int) -> None:
    assert tile_count(max_pip) == count
    assert tile_id(max_pip, max_pip) == count - 1
    assert tiles.TILE_HIGH[:count].max() == max_pip
    assert (tiles.TILE_HIGH[count:] > max_pip).all()


def test_tables_agree_with_ids() -> None:
    low, high = tiles.TILE_LOW.astype(int), tiles.TILE_HIGH.astype(int)
    assert (high * (high + 1) // 2 + low).tolist() == list(range(190))
    assert (tiles.TILE_PIPS == low + high).all()
    for table in (tiles.TILE_LOW, tiles.TILE_HIGH, tiles.TILE_PIPS, tiles.SPECIAL_POINTS):
        assert table.dtype == np.uint8
        assert not table.flags.writeable


def test_special_kinds_follow_the_tiles_as_codes() -> None:
    codes = (tiles.DRAW, tiles.TRADE, tiles.SKIP, tiles.REVERSE, tiles.TWIST, tiles.WILD, tiles.DERAIL)
    assert codes == tuple(range(190, 197))
    assert tuple(map(tile_text, codes)) == tiles.SPECIAL_KINDS
    assert tiles.NUM_SPECIAL_TILES == 14


def test_d11_points_of_special_tiles() -> None:
    points = dict(zip(tiles.SPECIAL_KINDS, tiles.SPECIAL_POINTS.tolist(), strict=True))
    assert points == {
        "draw": 30,
        "twist": 30,
        "skip": 30,
        "trade": 30,
        "reverse": 30,
        "derail": 40,
        "wild": 50,
    }


def test_every_text_is_read_back() -> None:
    for code in range(tiles.NUM_CODES):
        assert parse_tile(tile_text(code)) == code


def test_texts() -> None:
    assert tile_text(tile_id(12, 3)) == "3-12"
    assert parse_tile(" 12-3 ") == tile_id(3, 12)
    assert parse_tile("Skip") == tiles.SKIP


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' is no tile: write two numbers as in '3-12' or one of draw, trade, "),
        ("3", "'3' is no tile"),
        ("3-", "'3-' is no tile"),
        ("-3-4", "'-3-4' is no tile"),
        ("3-123", "'3-123' is no tile"),
        ("٣-4", "is no tile"),
        ("3-19", "There is no tile 3-19 in the double-18 set."),
        ("joker", "'joker' is no tile"),
    ],
)
def test_a_bad_text_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidAction) as refusal:
        parse_tile(text)
    assert sentence in str(refusal.value)
    assert str(refusal.value).endswith(".")


def test_a_set_knows_its_limits() -> None:
    with pytest.raises(InvalidAction, match=r"There is no tile 3-12 in the double-9 set\."):
        parse_tile("3-12", 9)
    with pytest.raises(InvalidAction, match="'skip' is a special tile, and this set has none"):
        parse_tile("skip", special_tiles=False)


@pytest.mark.parametrize(("a", "b"), [(-1, 3), (3, 19)])
def test_numbers_outside_of_every_set_are_refused(a: int, b: int) -> None:
    with pytest.raises(InvalidAction, match="There is no tile"):
        tile_id(a, b)


@pytest.mark.parametrize("code", [-1, 197])
def test_a_code_outside_of_the_numbering_is_refused(code: int) -> None:
    with pytest.raises(InvalidAction, match="codes run from 0 to 196"):
        tile_text(code)
