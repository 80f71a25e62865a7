"""`python -m fuzzqe`: checks a bundle on this machine, or asks it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .answers import EmbeddingAnswer, SetsAnswer, state_words
from .bundle import Bundle
from .errors import FuzzError
from .golden import check_golden
from .vocabulary import Vocabulary


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and gives its exit code: 1 for answers that differ, 2 for whatever else is wrong."""
    parser = argparse.ArgumentParser(prog="python -m fuzzqe", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="answer the golden cases of a bundle and compare")
    query = commands.add_parser("query", help="print the best answers to a query")
    for command in (check, query):
        command.add_argument("bundle", help="the folder of a bundle")
        command.add_argument("--profile", help="the stored form of the model")
    query.add_argument("query", help="a query as text, or as JSON")
    query.add_argument("--k", type=int, help="how many answers and suggestions together; 10 by default")
    query.add_argument("--min-degree", type=float, default=0.5, help="the lowest degree of an answer; 0.5 by default")
    query.add_argument("--exclude", default="none", help="known leaves out what the recorded facts give")
    query.add_argument("--mode", default="sets", help="sets or embedding")
    given = parser.parse_args(arguments)
    try:
        bundle = Bundle.open(given.bundle, profile=given.profile)
        if given.command == "check":
            report = check_golden(bundle)
            worst = max(report.embedding, report.score, report.degree)
            print(f"{report.profile}: {report.cases} golden cases are answered, within {worst:.1%} of the tolerance")
            return 0
        options = {"min_degree": given.min_degree} if given.mode == "sets" else {}
        answers = bundle.answer(given.query, k=given.k, mode=given.mode, exclude=given.exclude, **options)
        # The bundle's are of degrees.
        for warning in [*(bundle.warnings if given.mode == "sets" else ()), *answers.warnings]:
            print(f"warning: {warning}", file=sys.stderr)
        names = bundle.vocabulary.without_offers()
        for answer in answers:
            print(_line(answer, names))
        if not answers:
            print("No answers.")
        if answers.suggestions:
            print(f"\nSuggestions, below {given.min_degree:g}:")
            for answer in answers.suggestions:
                print(_line(answer, names))
    except FuzzError as error:
        print("\n".join(map(_printable, str(error).split("\n"))), file=sys.stderr)
        return 1 if error.code == "parity" else 2
    return 0


def _line(answer: SetsAnswer | EmbeddingAnswer, names: Vocabulary) -> str:
    value = answer.degree if isinstance(answer, SetsAnswer) else answer.score
    name = answer.label if _is_own(names, answer) else f"{answer.label} ({answer.key})"
    return f"{value:.4f}  {_printable(name)}  {state_words(answer)}"


def _is_own(names: Vocabulary, answer: SetsAnswer | EmbeddingAnswer) -> bool:
    """Whether nothing else has the answer's label, or is called by it."""
    try:
        return names.entity(answer.label) == answer.id
    except FuzzError:
        return False


def _printable(name: str) -> str:
    """A name without what a terminal would take for a command."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in name)


if __name__ == "__main__":
    sys.exit(main())
