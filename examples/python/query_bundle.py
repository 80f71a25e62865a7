"""Answers a query from a FuzzQE bundle with Python's onnxruntime, from docs/bundle-format.md alone.

    python3 query_bundle.py BUNDLE 2in France,Euro borders,currency^-1

The arguments are a structure, its anchors and its relations, by key or label. Entities are ranked by the embedding of the
query; of 1p, a single link, the fuzzy set is printed too: 1 where it is recorded, else the degree that is predicted.
"""
import csv
import hashlib
import json
import os
import pathlib
import sys

import numpy as np

# onnxruntime sends telemetry unless the environment says otherwise before it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime as ort  # noqa: E402


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


def link_degrees(bundle, manifest, run, head, relation):
    """The fuzzy set of the tails of a link: equation (9) of docs/model.md."""
    facts = np.fromfile(bundle / "facts.bin", "<i4").reshape(-1, 3)
    heads, relations, tails = facts.T if relation % 2 == 0 else facts.T[::-1]
    recorded = tails[(heads == head) & (relations == relation - relation % 2)]
    partitions = np.fromfile(bundle / "partitions.bin", "<f4")
    calibration = manifest["sets"]["calibration"]
    count = np.log(max(len(recorded), 1))
    offset = np.log(calibration["weight"]) + calibration["exponent"] * count - partitions[relation]
    degrees = run(
        "links",
        heads=np.array([head], np.int32),
        relations=np.array([relation], np.int32),
        offsets=np.array([offset], np.float32),
        calibration=np.array([calibration[name] for name in ("temperature", "cap", "support")], np.float32),
    )[0][0]
    of_relation = facts[:, 0 if relation % 2 else 2][facts[:, 1] == relation - relation % 2]
    known, heads_of_each = np.unique(of_relation, return_counts=True)
    share = (1 + np.sum(heads_of_each > 1)) / (1 + len(known))
    degrees[known] *= min(1, 8 * share) ** calibration["exclusivity"]
    degrees[recorded] = 1
    return degrees


def main(bundle, structure, anchors, relations):
    bundle = pathlib.Path(bundle)
    text = (bundle / "manifest.json").read_bytes()
    manifest = json.loads(text)
    if manifest["version"] != 3:
        sys.exit("the bundle is of another version of the format than this example")
    if hashlib.sha256(text.replace(manifest["sha256"].encode(), b"0" * 64)).hexdigest() != manifest["sha256"]:
        sys.exit("manifest.json was altered")
    entities = read_names(bundle / "vocabulary" / "entities.tsv")
    relation_names = read_names(bundle / "vocabulary" / "relations.tsv")
    labels = {i: name for name, i in entities.items()}
    profile = manifest["profiles"]["fp32"]

    def run(name, **feeds):
        graph = profile["structures"].get(name) or profile[name]
        return ort.InferenceSession(str(bundle / graph["path"])).run(None, feeds)

    heads = [entities[name] for name in anchors.split(",")]
    along = [relation_id(relation_names, name) for name in relations.split(",")]
    embedding = run(structure, anchors=np.array([heads], np.int32), relations=np.array([along], np.int32))[0]
    allowed = np.ones((1, manifest["model"]["entities"]), np.float32)
    ids, scores = run("rank", embedding=embedding, allowed=allowed, k=np.array([10], np.int32))
    for i, score in zip(ids[0], scores[0]):
        print(f"{score:.4f}  {labels[int(i)]}")
    if structure == "1p":
        degrees = link_degrees(bundle, manifest, run, heads[0], along[0])
        for i in np.argsort(-degrees, kind="stable")[:10]:
            print(f"{degrees[i]:.4f}  {labels[int(i)]}, by the fuzzy set")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
