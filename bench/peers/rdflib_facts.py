"""Compares the facts between entities that an import reads of RDF files with those that rdflib reads.

    npm run build
    python3 -m venv bench/peers/.venv && bench/peers/.venv/bin/pip install rdflib==7.6.0
    bench/peers/.venv/bin/python bench/peers/rdflib_facts.py rdf-tests.tar.xz [--samples 20] [--seed 1]

The archive is that of W3C's tests; their positive tests of RDF 1.1 and 1.2 are compared, and random graphs in six forms. A fact
is a triple without literals; graphs are joined, and blank nodes are matched by isomorphism. The last line counts the files.
"""

import argparse
import json
import logging
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

from rdf_samples import SPACES, write_samples
from rdflib import BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.compare import isomorphic

FORMATS = {".nt": "nt", ".nq": "nquads", ".ttl": "turtle", ".trig": "trig", ".rdf": "xml", ".jsonld": "json-ld"}
MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
TYPE = URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def w3c_files(root: Path) -> tuple[list[tuple[Path, str]], dict[Path, Path]]:
    """The inputs of positive tests with their base IRIs, and the results that the suites give for some."""
    files: dict[Path, str] = {}
    results: dict[Path, Path] = {}
    for version in ("rdf11", "rdf12"):
        top = root / "rdf-tests" / "rdf" / version
        base = f"https://w3c.github.io/rdf-tests/rdf/{version}/"
        for manifest in sorted(top.rglob("manifest*.ttl")):
            listed = Graph().parse(manifest, format="turtle", publicID=base + str(manifest.relative_to(top)))
            for test, action in listed.subject_objects(MF.action):
                kind = str(listed.value(test, TYPE))
                path = top / str(action)[len(base) :]
                is_syntax = "#Test" in kind and "Entailment" not in kind
                if is_syntax and "Negative" not in kind and path.suffix in FORMATS and path.exists():
                    files[path] = str(action)
                    if (result := listed.value(test, MF.result)) is not None:
                        results[path] = top / str(result)[len(base) :]
    return sorted(files.items()), results


def facts_of_rdflib(path: Path, base: str) -> Graph:
    """Raises what rdflib raises."""
    dataset = Dataset(default_union=True)
    dataset.parse(path, format=FORMATS[path.suffix], publicID=base)
    facts = Graph()
    for head, relation, tail, _ in dataset.quads():
        if not isinstance(tail, Literal):
            facts.add((head, relation, tail))
    return facts


def facts_of_result(path: Path) -> Graph:
    """The facts of a result of RDF 1.2, without lines that have literals or triple terms, which rdflib may not read."""
    dataset = Dataset(default_union=True)
    plain = [line for line in path.read_text(encoding="utf-8").splitlines() if '"' not in line and "<<(" not in line]
    dataset.parse(data="\n".join(plain) + "\n", format="nquads")
    facts = Graph()
    for head, relation, tail, _ in dataset.quads():
        facts.add((head, relation, tail))
    return facts


def graph_of(facts: list[list[str]]) -> Graph:
    def term(key: str) -> BNode | URIRef:
        return BNode(key[2:]) if key.startswith("_:") else URIRef(key)

    graph = Graph()
    for head, relation, tail in facts:
        graph.add((term(head), URIRef(relation), term(tail)))
    return graph


def facts_of_import(files: list[tuple[Path, str]]) -> list[dict]:
    helper = Path(__file__).with_name("rdf-facts.mjs")
    listed = "".join(f"{path}\t{base}\n" for path, base in files)
    run = subprocess.run(["node", helper], input=listed, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return [json.loads(line) for line in run.stdout.splitlines()]


def lines(graph: Graph, other: Graph) -> list[str]:
    """The facts of a graph alone, with every blank node as []."""

    def shown(each: Graph) -> Counter:
        return Counter(" ".join("[]" if isinstance(term, BNode) else term.n3() for term in triple) for triple in each)

    return sorted((shown(graph) - shown(other)).elements())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--samples", type=int, default=20, help="random graphs, each in six forms")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.disable()
    with tempfile.TemporaryDirectory() as folder, tarfile.open(options.archive) as archive:
        archive.extractall(folder, filter="data")
        root = Path(folder)
        files, results = w3c_files(root)
        for path in write_samples(root / "samples", options.samples, options.seed):
            files.append((path, SPACES["ex"]))
        counts: Counter[str] = Counter()
        forms: Counter[str] = Counter()
        facts = 0
        for (path, base), ours in zip(files, facts_of_import(files), strict=True):
            name = path.relative_to(root)
            try:
                theirs = facts_of_rdflib(path, base)
            except Exception as error:
                who = "rdflib" if "error" not in ours else "both"
                counts[f"refused by {who}"] += 1
                print(f"refused by {who} {name}: {' '.join(str(error).split())[:160]}", ours.get("error", ""))
                continue
            if "error" in ours:
                counts["refused by import"] += 1
                print(f"refused by import {name}: {ours['error']}")
                continue
            read = graph_of(ours["facts"])
            forms[path.suffix] += 1
            facts += len(theirs)
            if isomorphic(read, theirs):
                counts["same"] += 1
                continue
            counts["different"] += 1
            print(f"different {name}")
            if path in results:
                right = facts_of_result(results[path])
                agree = [who for who, each in (("import", read), ("rdflib", theirs)) if isomorphic(each, right)]
                counts[f"different, W3C agrees with {' and '.join(agree) or 'neither'}"] += 1
            for line in lines(read, theirs):
                print(f"  import alone: {line}")
            for line in lines(theirs, read):
                print(f"  rdflib alone: {line}")
        print(json.dumps({**counts, "facts of rdflib": facts, "compared": dict(forms)}))
        return 0


if __name__ == "__main__":
    sys.exit(main())
