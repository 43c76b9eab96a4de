"""Actions as ids and as moves: the layout `act` (DESIGN.md section 5).

Blocks in id order; T = numbered tiles of the set, n = players, M = highest pip; trains and opponents relative to the
acting seat (0 = own, 1..n-1 = the seats clockwise, n = Mexican). Ids never depend on the state.

| block | size | id within the block | when |
|---|---|---|---|
| play | (n+1) * T | train * T + tile; on an open Wild the higher half points out | always |
| draw, pass, stop, wait | 1 each | wait is for idle seats of the parallel environment | always |
| choose | M+1 | number of the opening double | opening_order=chosen |
| out_low | T | tile on the open Wild, lower half out ((n+1) * T by train with finish_first_lap) | special_tiles |
| wild | n+1 | train | special_tiles |
| draw_on, skip_on | n-1 each | opponent - 1 | special_tiles |
| reverse | 1 | | special_tiles |
| twist | n+1 | train | special_tiles |
| derail | n-1 | k - 1, k seats clockwise | special_tiles |
| trade | (n-1) * (T+7) | (opponent - 1) * (T+7) + given tile, special kinds after the numbered | special_tiles |
| trade_out | n-1 | opponent - 1, a Trade as the last tile | special_tiles |
"""

from dataclasses import dataclass

from mtrain_env.engine.state import KINDS, MAX_TILES, action_blocks
from mtrain_env.errors import InvalidAction
from mtrain_env.rules import Rules

ACT_SPEC = "act/1"


@dataclass(frozen=True)
class Move:
    """One action, seen from the acting seat.

    `block`: name of its block. `train`: relative train, 0..num_players (play, out_low, wild, twist), or relative
    opponent, 1..num_players-1 (draw_on, skip_on, trade, trade_out); None on the one open Wild. `tile`: tile code
    (play, out_low; the tile given in a trade). `number`: the opening double chosen, or the distance of a derail.
    """

    block: str
    train: int | None = None
    tile: int | None = None
    number: int | None = None


class ActionLayout:
    """The action ids of one `Rules`: 0..size-1, `encode` and `decode` are inverse on all of them."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.blocks = action_blocks(rules)
        self.size = sum(size for _, size in self.blocks.values())
        self.draw, self.pass_, self.stop, self.wait = (self.blocks[b][0] for b in ("draw", "pass", "stop", "wait"))

    def decode(self, action: int) -> Move:
        """The move of an id; InvalidAction if there is no such id."""
        for block, (first, size) in self.blocks.items():
            if first <= action < first + size:
                return self._decode_in(block, action - first)
        raise InvalidAction(f"{action} is no action: ids run from 0 to {self.size - 1} under these rules.")

    def _decode_in(self, block: str, k: int) -> Move:
        tiles = self.rules.num_tiles
        if block == "play" or (block == "out_low" and self.rules.finish_first_lap):
            return Move(block, train=k // tiles, tile=k % tiles)
        if block == "out_low":
            return Move(block, tile=k)
        if block in ("wild", "twist"):
            return Move(block, train=k)
        if block in ("draw_on", "skip_on", "trade_out"):
            return Move(block, train=k + 1)
        if block == "trade":
            opponent, given = divmod(k, tiles + KINDS)
            return Move(block, train=opponent + 1, tile=given if given < tiles else given - tiles + MAX_TILES)
        if block in ("choose", "derail"):
            return Move(block, number=k + (block == "derail"))
        return Move(block)

    def encode(self, move: Move) -> int:
        """The id of a move; InvalidAction if these rules have no such move."""
        first, size = self.blocks.get(move.block, (0, 0))
        k = self._encode_in(move)
        if not 0 <= k < size:
            raise InvalidAction(f"There is no {move} under these rules.")
        return first + k

    def _encode_in(self, move: Move) -> int:
        tiles = self.rules.num_tiles
        train = move.train or 0
        tile = -1 if move.tile is None else move.tile
        if move.block in ("play", "out_low"):
            return train * tiles + tile if 0 <= tile < tiles else -1
        if move.block in ("wild", "twist"):
            return train
        if move.block in ("draw_on", "skip_on", "trade_out"):
            return train - 1
        if move.block == "trade":
            given = tile - MAX_TILES + tiles if tile >= MAX_TILES else tile
            return (train - 1) * (tiles + KINDS) + given if tile >= MAX_TILES or 0 <= tile < tiles else -1
        if move.block in ("choose", "derail") and move.number is not None:
            return move.number - (move.block == "derail")
        return 0
