"""A table as plain text."""

from mtrain_env.envs.render.table import Ends, TableView, TrainView, end_text


def draw_text(table: TableView) -> str:
    """The table as lines of text, without colours."""
    opening = f"opening double {table.opening}-{table.opening}" if table.opening >= 0 else "no opening double yet"
    turned = ", counter-clockwise" if table.reversed else ""
    lines = [f"{table.title}, {opening}, boneyard {table.boneyard}{turned}"]
    lines.append(f"    {'M':<4}{'':<22}{_train(table.trains[-1])}")
    for seat, train in zip(table.seats, table.trains, strict=False):
        arrow = ">" if seat.to_move else " "
        lines.append(f"  {arrow} {seat.name:<4}{f'hand {seat.tiles}, total {seat.total}':<22}{_train(train)}")
    lines.append(f"  {table.news}")
    if table.hand_of:
        lines.append(f"  hand of {table.hand_of}: {' '.join(table.hand) or 'empty'}")
    return "\n".join(lines) + "\n"


def _train(train: TrainView) -> str:
    marks = [word for word, on in (("open", train.marked), ("waiting", train.waiting)) if on]
    if train.blocker:
        marks.append(train.blocker)
    state = f" ({', '.join(marks)})" if marks else ""
    tiles = "".join(f" {_tile(tile)}" for tile in train.tiles)
    return f"end {end_text(train.end)}{state}:{tiles}"


def _tile(ends: Ends) -> str:
    return "wild" if end_text(ends[1]) == "any" else f"{ends[0]}-{ends[1]}"
