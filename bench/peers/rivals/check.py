"""Ranks scores that `bench/peers/fuzzqe.mjs --scores` wrote and compares with its metrics: python -m rivals.check FILE.json."""

import json
import sys
from pathlib import Path

import numpy as np

from .query import Entity, Query
from .ranking import evaluate, filtered_ranks


def differences(content: dict) -> tuple[float, float]:
    """The largest difference of a metric with the filter, and without it, which is a control: it must be larger."""
    scores = [np.array(item["scores"], np.float32) for item in content["queries"]]
    with_filter = [Query(item["structure"], Entity(i), item["easy"], item["hard"]) for i, item in enumerate(content["queries"])]
    without = [Query(query.structure, query.tree, [], query.hard) for query in with_filter]
    worst = []
    for queries in (with_filter, without):
        figures = evaluate(lambda query: scores[query.tree.id], queries)
        differ = lambda name, metric: abs(getattr(figures[name], metric) - content["metrics"][name][metric])
        worst.append(max(differ(name, metric) for name in figures for metric in ("mrr", "hits1", "hits3", "hits10")))
    return worst[0], worst[1]


def main() -> None:
    content = json.loads(Path(sys.argv[1]).read_text())
    tied = sum(
        int(np.isin(np.array(item["scores"])[item["hard"]], np.delete(item["scores"], item["easy"] + item["hard"])).sum())
        for item in content["queries"]
    )
    same, unfiltered = differences(content)
    answers = sum(len(filtered_ranks(np.array(item["scores"]), item["easy"], item["hard"])) for item in content["queries"])
    print(f"{len(content['queries'])} queries, {answers} hard answers ({tied} tied with others): metrics differ by at most {same:.1e}")
    print(f"control: without the filter they differ by {unfiltered:.3f}")
    if same > 1e-9 or unfiltered < 1e-3:
        raise SystemExit("the two evaluations do not agree")


if __name__ == "__main__":
    main()
