"""Answers a query from a FuzzQE bundle with Python's onnxruntime, from docs/bundle-format.md alone.

    python3 query_bundle.py BUNDLE 2in France,Euro borders,currency^-1

The arguments are a structure, its anchors and its relations, by key or label.
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


def main(bundle, structure, anchors, relations):
    bundle = pathlib.Path(bundle)
    text = (bundle / "manifest.json").read_bytes()
    manifest = json.loads(text)
    if manifest["version"] > 1:
        sys.exit("the bundle is of a newer format than this example")
    if hashlib.sha256(text.replace(manifest["sha256"].encode(), b"0" * 64)).hexdigest() != manifest["sha256"]:
        sys.exit("manifest.json was altered")
    entities = read_names(bundle / "vocabulary" / "entities.tsv")
    relation_names = read_names(bundle / "vocabulary" / "relations.tsv")
    labels = {i: name for name, i in entities.items()}
    feeds = {
        "anchors": np.array([[entities[name] for name in anchors.split(",")]], np.int32),
        "relations": np.array([[relation_id(relation_names, name) for name in relations.split(",")]], np.int32),
        "k": np.array([10], np.int32),
    }
    graph = bundle / manifest["profiles"]["fp32"]["structures"][structure]["path"]
    ids, scores = ort.InferenceSession(str(graph)).run(["ids", "scores"], feeds)
    for i, score in zip(ids[0], scores[0]):
        print(f"{score:.4f}  {labels[int(i)]}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
