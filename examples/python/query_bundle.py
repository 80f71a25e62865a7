"""Answers a query from a FuzzQE bundle with Python's onnxruntime, from docs/bundle-format.md alone.

    python3 query_bundle.py BUNDLE 2in France,Euro borders,currency^-1
    python3 query_bundle.py BUNDLE --golden

The first form names a structure, its anchors and its relations, by key or label. The second compares the golden
cases of the bundle with what this runtime computes, and exits with 1 where they differ.
"""
import csv
import hashlib
import json
import pathlib
import sys

import numpy as np
import onnxruntime as ort


def read_names(path):
    """The names of a vocabulary file: key or label -> id."""
    names = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            for name in row[1:3]:
                names.setdefault(name, int(row[0]))
    return names


def relation_id(names, name):
    """Relation 2k is a relation of the data, 2k + 1 its inverse."""
    return names[name[:-3]] + 1 if name.endswith("^-1") else names[name]


def run(session, anchors, relations, k):
    feeds = {
        "anchors": np.array([anchors], np.int32),
        "relations": np.array([relations], np.int32),
        "k": np.array([k], np.int32),
    }
    ids, scores, embedding = session.run(["ids", "scores", "embedding"], feeds)
    return ids[0], scores[0], embedding[0]


def main(bundle, *arguments):
    bundle = pathlib.Path(bundle)
    text = (bundle / "manifest.json").read_bytes()
    manifest = json.loads(text)
    if manifest["version"] > 1:
        sys.exit("the bundle is of a newer format than this example")
    if hashlib.sha256(text.replace(manifest["sha256"].encode(), b"0" * 64)).hexdigest() != manifest["sha256"]:
        sys.exit("manifest.json was altered")
    graphs = manifest["profiles"]["fp32"]["structures"]
    open_graph = lambda structure: ort.InferenceSession(str(bundle / graphs[structure]["path"]))
    if arguments == ("--golden",):
        golden = json.loads((bundle / "golden.json").read_text("utf-8"))
        worst = 0.0
        for case in golden["cases"]:
            ids, scores, embedding = run(open_graph(case["structure"]), case["anchors"], case["relations"], golden["k"])
            for found, expected in ((embedding, case["embedding"]), (scores, case["scores"])):
                worst = max(worst, float(np.max(np.abs(found - expected) / (1e-5 + 1e-4 * np.abs(expected)))))
        print(f"{len(golden['cases'])} cases, worst difference {worst:.3f} of the tolerance")
        return int(worst > 1)
    structure, anchors, relations = arguments
    entities = read_names(bundle / "vocabulary" / "entities.tsv")
    relation_names = read_names(bundle / "vocabulary" / "relations.tsv")
    labels = {i: name for name, i in entities.items()}
    ids, scores, _ = run(
        open_graph(structure),
        [entities[name] for name in anchors.split(",")],
        [relation_id(relation_names, name) for name in relations.split(",")],
        10,
    )
    for i, score in zip(ids, scores):
        print(f"{score:.4f}  {labels[int(i)]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
