"""Tables of a pruning benchmark: means, paired differences, spread by package.

Intervals are 95 % bootstraps clustered by page: questions of one page are not independent.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Result:
    """What one ranker or tool kept of one question's gold at one budget."""

    set: str
    case: str
    page: str
    group: str
    ranker: str
    budget: int
    metric: str
    value: float


# Floors of the default mix, in per cent: the table, from a prototype (pruning probe, section 6).
FLOORS: dict[tuple[str, str], dict[int, float]] = {
    ("hard", "share"): {512: 59, 1024: 70, 2048: 79, 4096: 87},
    ("hard", "block"): {512: 80, 1024: 88, 2048: 94, 4096: 97},
    ("easy", "share"): {512: 86, 1024: 94, 2048: 97, 4096: 98},
    ("wiki", "answer"): {512: 55, 1024: 72, 2048: 84, 4096: 90},
    ("wiki", "row"): {512: 39, 1024: 53, 2048: 69, 4096: 84},
}
# Set, metric, ranker, budget -> case -> value.
Values = dict[tuple[str, str, str, int], dict[str, float]]


def collect(results: Iterable[Result]) -> tuple[Values, dict[str, tuple[str, str]]]:
    """Return the values by set, metric, ranker and budget, and each case's page and group."""
    values: Values = defaultdict(dict)
    places: dict[str, tuple[str, str]] = {}
    for r in results:
        values[r.set, r.metric, r.ranker, r.budget][r.case] = 100 * r.value
        places[r.case] = (r.page, r.group)
    return values, places


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of a mean over questions."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def paired(
    ours: dict[str, float], theirs: dict[str, float], page: dict[str, str]
) -> tuple[float, float, float]:
    """Return the mean difference over shared cases and its 95 % bootstrap interval, clustered by page."""
    import numpy as np

    clusters: dict[str, list[float]] = defaultdict(list)
    for case in ours.keys() & theirs.keys():
        clusters[page[case]].append(ours[case] - theirs[case])
    sums = np.array([sum(gaps) for _, gaps in sorted(clusters.items())])
    sizes = np.array([len(gaps) for _, gaps in sorted(clusters.items())])
    drawn = np.random.default_rng(0).integers(0, len(sums), (DRAWS, len(sums)))
    means = sums[drawn].sum(1) / sizes[drawn].sum(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(sums.sum() / sizes.sum()), float(low), float(high)


def cells(values: Values) -> dict[tuple[str, str], tuple[list[str], list[int]]]:
    """Return the rankers (as first met) and the budgets of each set and metric."""
    out: dict[tuple[str, str], tuple[dict[str, None], set[int]]] = {}
    for name, metric, ranker, budget in values:
        rankers, budgets = out.setdefault((name, metric), ({}, set()))
        rankers[ranker] = None
        budgets.add(budget)
    return {key: (list(rankers), sorted(budgets)) for key, (rankers, budgets) in out.items()}


def print_means(values: Values, floor_of: str = "embed") -> None:
    """Print means and standard errors in per cent, the floors, and whether ``floor_of`` meets them."""
    for (name, metric), (rankers, budgets) in cells(values).items():
        n = len(next(iter(values[name, metric, rankers[0], b] for b in budgets)))
        print(f"\n{name}, {metric}, % +- SE (n {n})")
        print(f"{'':24}" + "".join(f"{b:>14}" for b in budgets))
        for ranker in rankers:
            row = [list(values[name, metric, ranker, b].values()) for b in budgets]
            print(
                f"{ranker:24}" + "".join(f"{statistics.fmean(v):8.1f}+-{standard_error(v):.1f} " for v in row)
            )
        floors = FLOORS.get((name, metric), {})
        if floors:
            print(f"{'floor':24}" + "".join(f"{floors.get(b, math.nan):8.0f}      " for b in budgets))
        if floors and floor_of in rankers:
            gaps = [
                statistics.fmean(values[name, metric, floor_of, b].values()) - floors.get(b, math.nan)
                for b in budgets
            ]
            print(f"{f'{floor_of} over floor':24}" + "".join(f"{gap:+8.1f}      " for gap in gaps))


def print_paired(
    values: Values, places: dict[str, tuple[str, str]], ours: str, others: Sequence[str] = ()
) -> None:
    """Print the paired differences of ``ours`` and every other ranker, in points."""
    page = {case: place[0] for case, place in places.items()}
    for (name, metric), (rankers, budgets) in cells(values).items():
        if ours not in rankers:
            continue
        print(f"\n{name}, {metric}: {ours} minus, points [95 % by page]")
        for ranker in others or rankers:
            if ranker == ours or ranker not in rankers:
                continue
            row = [
                paired(values[name, metric, ours, b], values[name, metric, ranker, b], page) for b in budgets
            ]
            print(
                f"{ranker:24}" + " ".join(f"{gap:+6.1f} [{low:+.1f},{high:+.1f}]" for gap, low, high in row)
            )


def print_packages(
    values: Values, places: dict[str, tuple[str, str]], ranker: str, budget: int = 1024
) -> None:
    """Print the mean of each package (of each half of the pages where there is none) at one budget."""
    for (name, metric), (rankers, _) in cells(values).items():
        if ranker not in rankers or name == "wiki":
            continue
        spread: dict[str, list[float]] = defaultdict(list)
        for case, value in values[name, metric, ranker, budget].items():
            spread[places[case][1]].append(value)
        parts = (f"{group} {statistics.fmean(v):.0f} ({len(v)})" for group, v in sorted(spread.items()))
        print(f"\n{name}, {metric}, {ranker} at {budget}: " + ", ".join(parts))
