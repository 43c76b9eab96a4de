"""progress.png of a run: its strength against hard on the way, and what it learns from."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from training.metrics import read_metrics

FILE: Final = "progress.png"
_SMOOTH: Final = 20  # updates in a point of a metric's line


def draw_progress(folder: Path, name: str, curve: Sequence[Mapping[str, Any]]) -> None:
    """Write progress.png to the run's folder, from the matches in `curve` and the metrics of all updates."""
    from matplotlib.figure import Figure  # takes half a second to import

    figure = Figure(figsize=(10, 7), layout="constrained")
    strength, below = figure.subplots(2, 1, height_ratios=(2, 1))
    strength.axhline(0, color="grey", linewidth=1)
    for k, match in enumerate(curve[0]["matches"]):
        mean, low, high = zip(*(point["matches"][k]["pips_difference"] for point in curve), strict=True)
        steps = [point["step"] for point in curve]
        (line,) = strength.plot(steps, mean, marker="o", label=f"{match['players']} players")
        strength.fill_between(steps, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    strength.set(ylabel=f"pips a round, less those of {curve[0]['matches'][0]['others']}", title=name)
    strength.legend()
    lines = read_metrics(folder)
    for metric in ("value_loss", "lesson_cost"):
        points = [(line["step"], line[metric]) for line in lines if metric in line]
        blocks = [points[k : k + _SMOOTH] for k in range(0, len(points), _SMOOTH)]
        if blocks:
            xs, ys = zip(*((block[-1][0], sum(y for _, y in block) / len(block)) for block in blocks), strict=True)
            below.plot(xs, ys, label=metric)
            below.legend()
    below.set(xlabel="updates", ylabel="mean of 20 updates")
    figure.savefig(folder / FILE, dpi=100)
