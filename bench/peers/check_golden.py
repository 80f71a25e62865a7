"""Answers the golden cases of a FuzzQE bundle in Python onnxruntime: every profile, by each of the four kinds of graphs.

    python3 check_golden.py BUNDLE...

Written from docs/bundle-format.md alone. Prints one line a profile and way, and ends with 1 where anything differs.
"""

import json
import pathlib
import sys

import numpy as np
import onnxruntime as ort

# Anchors are numbers; ("P", i, x) projects x by the i-th relation; the rest are the operators.
P = lambda i, x: ("P", i, x)
STRUCTURES = {
    "1p": P(0, 0),
    "2p": P(1, P(0, 0)),
    "3p": P(2, P(1, P(0, 0))),
    "2i": ("and", P(0, 0), P(1, 1)),
    "3i": ("and", ("and", P(0, 0), P(1, 1)), P(2, 2)),
    "pi": ("and", P(1, P(0, 0)), P(2, 1)),
    "ip": P(2, ("and", P(0, 0), P(1, 1))),
    "2u": ("or", P(0, 0), P(1, 1)),
    "up": P(2, ("or", P(0, 0), P(1, 1))),
    "2in": ("and", P(0, 0), ("not", P(1, 1))),
    "3in": ("and", ("and", P(0, 0), P(1, 1)), ("not", P(2, 2))),
    "inp": P(2, ("and", P(0, 0), ("not", P(1, 1)))),
    "pin": ("and", P(1, P(0, 0)), ("not", P(2, 1))),
    "pni": ("and", ("not", P(1, P(0, 0))), P(2, 1)),
}


def ints(*values):
    return np.array(values, np.int32)


class Graphs:
    """The graphs of one profile, each opened once."""

    def __init__(self, bundle, profile):
        self.bundle, self.profile, self.open = bundle, profile, {}

    def run(self, graph, **feeds):
        path = graph["path"]
        if path not in self.open:
            options = ort.SessionOptions()
            options.intra_op_num_threads = 1
            self.open[path] = ort.InferenceSession(str(self.bundle / path), options, ["CPUExecutionProvider"])
        names = [output["name"] for output in graph["outputs"]]
        return dict(zip(names, self.open[path].run(names, feeds)))

    def structure(self, case, k):
        graph = self.profile["structures"][case["structure"]]
        return self.run(graph, anchors=ints(case["anchors"]), relations=ints(case["relations"]), k=ints(k))

    def edge(self, case, k):
        filled = lambda ids: ints(ids + [0] * (3 - len(ids)))
        place = ints(list(STRUCTURES).index(case["structure"]))
        feeds = {"anchors": filled(case["anchors"]), "relations": filled(case["relations"])}
        return self.run(self.profile["edge"], structure=place, k=ints(k), **feeds)

    def operators(self, case, k):
        operators = self.profile["operators"]

        def embed(tree):
            if isinstance(tree, int):
                return self.run(operators["anchor"], entities=ints(case["anchors"][tree]))["embedding"]
            kind, *rest = tree
            if kind == "P":
                relation = ints(case["relations"][rest[0]])
                return self.run(operators["project"], operand=embed(rest[1]), relations=relation)["embedding"]
            if kind == "not":
                return self.run(operators["negation"], operand=embed(rest[0]))["embedding"]
            graph = operators["conjunction" if kind == "and" else "disjunction"]
            return self.run(graph, left=embed(rest[0]), right=embed(rest[1]))["embedding"]

        embedding = embed(STRUCTURES[case["structure"]])
        return {**self.run(operators["score"], embedding=embedding, k=ints(k)), "embedding": embedding}

    def program(self, case, k):
        levels = [[], [], []]  # (value, relation), where the value of the first level is an anchor

        def value(tree):  # terms [level, row, negated, join]
            kind, *rest = tree
            if kind == "P":
                relation, inner = case["relations"][rest[0]], rest[1]
                if isinstance(inner, int):
                    level, below = 0, case["anchors"][inner]
                else:
                    below = value(inner)
                    level = 1 + max(term[0] for term in below)
                levels[level].append((below, relation))
                return [[level, len(levels[level]) - 1, 0, 0]]
            if kind == "not":
                return [[*value(rest[0])[0][:2], 1, 0]]
            right = value(rest[1])[0]
            return value(rest[0]) + [[*right[:3], 1 if kind == "and" else 2]]

        answer = value(STRUCTURES[case["structure"]])
        for level in levels[1:]:
            if not level:
                level.append(([[0, 0, 0, 0]], 0))
        begins = np.cumsum([0] + [len(level) for level in levels])

        def terms(values):
            table = np.zeros((len(values), 3, 3), np.int32)
            for row, joined in enumerate(values):
                for i, (level, at, negated, join) in enumerate(joined):
                    table[row, i] = begins[level] + at, negated, join
            return table

        relations = [ints(*(relation for _, relation in level)) for level in levels]
        return self.run(
            self.profile["program"],
            anchors=ints(*(anchor for anchor, _ in levels[0])),
            firstRelations=relations[0],
            secondTerms=terms([below for below, _ in levels[1]]),
            secondRelations=relations[1],
            thirdTerms=terms([below for below, _ in levels[2]]),
            thirdRelations=relations[2],
            answerTerms=terms([answer]),
            k=ints(k),
        )


def check(bundle, name, profile, manifest):
    """The number of cases, and the largest difference beside its tolerance, by each way."""
    golden = json.loads((bundle / profile.get("golden", "golden.json")).read_text("utf-8"))
    tolerances = profile.get("tolerances", manifest["tolerances"])
    graphs = Graphs(bundle, profile)
    for way in ("structure", "operators", "program", "edge"):
        worst = {"embedding": 0.0, "score": 0.0}
        for case in golden["cases"]:
            found = getattr(graphs, way)(case, golden["k"])
            for key, kind in (("embedding", "embedding"), ("scores", "score")):
                expected = np.array(case[key])
                allowed = tolerances[kind]["absolute"] + tolerances[kind]["relative"] * np.abs(expected)
                worst[kind] = max(worst[kind], float(np.max(np.abs(found[key][0] - expected) / allowed)))
        passed = max(worst.values()) <= 1
        figures = ", ".join(f"{kind} {value:.3f}" for kind, value in worst.items())
        print(f"{'ok    ' if passed else 'DIFFER'} {bundle.name} {name:<10} {way:<9} {len(golden['cases'])} cases, of the tolerance: {figures}")
        yield passed


def main(*bundles):
    results = []
    for bundle in map(pathlib.Path, bundles):
        manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
        for name, profile in manifest["profiles"].items():
            results += check(bundle, name, profile, manifest)
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
