"""Before a round: which double opens, who hunts, who starts (R1 to R5). Part of the reference."""

from __future__ import annotations

from collections import Counter

from .tiles import ReferenceMismatch, Rules, Tile, is_double, tile_text, whole_set

FIELDS = [
    "num_players",
    "max_pip",
    "hand_size",
    "num_rounds",
    "opening_order",
    "opening_source",
    "starter",
    "opening_turn",
    "first_turn",
    "finish_first_lap",
    "mexican_train",
    "own_train_first",
    "draw_limit",
    "double_follow_up",
    "double_duty",
    "exhausted_double",
    "marker_on",
    "marker_off",
    "failed_cover_marker_off_any",
    "double_blank_points",
    "special_tiles",
    "derail",
    "derail_once",
]


def check_fields(rules: Rules) -> None:
    """Every field of section 9 must be there."""
    missing = [field for field in FIELDS if field not in rules]
    if missing:
        raise ReferenceMismatch(f"the rules lack {', '.join(missing)}")


def opening_numbers(rules: Rules) -> list[int]:
    """R2: the numbers of the opening doubles, in order where the order is fixed."""
    numbers = list(range(rules["max_pip"] + 1))
    order = rules["opening_order"]
    if order == "descending":
        numbers.reverse()
    elif order == "even":
        numbers = numbers[0::2]
    elif order == "odd":
        numbers = numbers[1::2]
    return numbers


def rounds_to_play(rules: Rules) -> int:
    """R3."""
    available = len(opening_numbers(rules))
    if rules["num_rounds"] == "all":
        return available
    count = int(rules["num_rounds"])
    if not 1 <= count <= available:
        raise ReferenceMismatch(f"{count} rounds, but the order has {available}")
    return count


def check_deal(
    rules: Rules,
    opening: int,
    hands: list[list[Tile]],
    boneyard: list[Tile],
    derails_gone: int,
) -> None:
    """R1, R4: the right hand sizes, and exactly the tiles of the set (less a set-out opening double)."""
    if len(hands) != rules["num_players"]:
        raise ReferenceMismatch(f"{len(hands)} hands for {rules['num_players']} players")
    for seat, hand in enumerate(hands):
        if len(hand) != rules["hand_size"]:
            raise ReferenceMismatch(f"seat {seat} was dealt {len(hand)} tiles, not {rules['hand_size']}")
    expected = Counter(whole_set(rules, derails_gone))
    if rules["opening_source"] == "set_out":
        expected[(opening, opening)] -= 1
    dealt = Counter(boneyard)
    for hand in hands:
        dealt.update(hand)
    missing = [tile_text(tile) for tile in expected if dealt[tile] < expected[tile]]
    extra = [tile_text(tile) for tile in dealt if dealt[tile] > expected[tile]]
    if missing or extra:
        raise ReferenceMismatch(f"the tiles are not the set: missing {missing}, extra {extra}")


def hunted_double(
    rules: Rules,
    fixed: int | None,
    used: list[int],
    hunting_seat: int,
    hands: list[list[Tile]],
    boneyard: list[Tile],
) -> tuple[int, int, int]:
    """R2, R4: the opening number, the seat that lays it, and how many tiles the hunt draws.

    `fixed` is the number by the order, or None for `random`, where the first double not used
    yet counts, looking at the tiles in the order in which they were dealt and drawn.
    """
    seats: int = rules["num_players"]

    def is_it(tile: Tile) -> bool:
        if fixed is not None:
            return tile == (fixed, fixed)
        return is_double(tile) and tile[0] not in used

    clockwise = [(hunting_seat + step) % seats for step in range(seats)]
    for position in range(rules["hand_size"]):
        for seat in clockwise:
            tile = hands[seat][position]
            if is_it(tile):
                return int(tile[0]), seat, 0
    for drawn, tile in enumerate(boneyard):
        if is_it(tile):
            return int(tile[0]), clockwise[drawn % seats], drawn + 1
    raise ReferenceMismatch("the opening double is not among the tiles")


def carry_out_hunt(
    number: int,
    hunting_seat: int,
    draws: int,
    layer: int,
    hands: list[list[Tile]],
    boneyard: list[Tile],
) -> None:
    """R4: the seats keep what they draw; the opening double leaves its holder's hand."""
    for step in range(draws):
        hands[(hunting_seat + step) % len(hands)].append(boneyard.pop(0))
    hands[layer].remove((number, number))
