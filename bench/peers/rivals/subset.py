"""A data set folder with fewer queries, to evaluate all models on the same ones or to carry: python -m rivals.subset DATA OUT."""

import argparse
import json
import random
import re
import shutil
from pathlib import Path

from .query import open_text, with_negation


def some_lines(path: Path, each: int, negated: int, seed: int) -> list[str]:
    """`each` lines of each structure, `negated` of one with negation, drawn with the seed, structures in the file's order."""
    lines: dict[str, list[str]] = {}
    with open_text(path) as file:
        for line in file:
            kind = re.search(r'"type":\s*"([^"]+)"', line)
            if kind is None:
                raise SystemExit(f"{path}: expected lines with a type, got {line[:60]!r}")
            lines.setdefault(kind[1], []).append(line)
    wanted = lambda name, of: min(negated if name in with_negation else each, len(of))
    return [line for name, of in lines.items() for line in random.Random(f"{seed} {name}").sample(of, wanted(name, of))]


def without_answers(line: str) -> str:
    item = json.loads(line)
    return json.dumps({"type": item["type"], "query": item["query"]}, separators=(",", ":")) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--test", type=int, default=300, help="test queries of each structure")
    parser.add_argument("--valid", type=int, default=50, help="validation queries of each structure")
    parser.add_argument("--train", type=int, default=0, help="training queries of each structure, for models that learn from queries")
    parser.add_argument("--negated", type=int, help="training queries of each structure with negation; default: as --train")
    parser.add_argument("--bare", action="store_true", help="training queries without answers, which rivals.train works out")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    (args.out / "queries").mkdir(parents=True)
    for path in args.data.iterdir():
        if path.is_file():
            shutil.copy(path, args.out / path.name)
    for name in ("train", "valid", "test"):
        path = args.data / "queries" / f"{name}.jsonl"
        each = getattr(args, name)
        if path.exists() and each > 0:
            negated = args.negated if name == "train" and args.negated is not None else each
            lines = some_lines(path, each, negated, args.seed)
            if name == "train" and args.bare:
                lines = map(without_answers, lines)
            (args.out / "queries" / path.name).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
