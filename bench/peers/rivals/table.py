"""One Markdown table of reports: python -m rivals.table FILE.json … [--metric mrr]. Refuses reports on different queries."""

import argparse
import json
import statistics
from pathlib import Path
from typing import Any

from .query import structures, with_negation, without_negation


def row(report: dict[str, Any], metric: str) -> list[str]:
    figures = report["structures"]
    percent = lambda name: f"{100 * figures[name][metric]:.1f}" if name in figures else "–"
    mean = lambda names: f"{100 * statistics.mean(figures[n][metric] for n in names):.1f}" if all(n in figures for n in names) else "–"
    times = [each["milliseconds"] for each in figures.values()]
    minutes = report.get("minutes")
    return [
        report["name"],
        *map(percent, structures),
        mean(without_negation),
        mean(with_negation),
        "–" if minutes is None else f"{minutes:.0f}",
        f"{statistics.median(times):.2f}",
        f"{max(times):.2f}",
    ]


def table(reports: list[dict[str, Any]], metric: str) -> str:
    """Rows in the order given; the times are the median and the largest of the structures' medians."""
    for name in structures:
        digests = {report["queries"][name]: report["name"] for report in reports if name in report["queries"]}
        if len(digests) > 1:
            raise SystemExit(f"{name}: expected reports on the same queries, got other ones in {' and '.join(digests.values())}")
    head = ["", *structures, "without", "with", "minutes", "ms", "most ms"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *(row(report, metric) for report in reports)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("reports", nargs="+", type=Path)
    parser.add_argument("--metric", choices=["mrr", "hits1", "hits3", "hits10"], default="mrr")
    args = parser.parse_args()
    print(table([json.loads(path.read_text()) for path in args.reports], args.metric))


if __name__ == "__main__":
    main()
