"""A FuzzQE bundle judged from docs/bundle-format.md and docs/families.md alone: numpy in float64, and every graph in Python's onnxruntime.

    python3 oracle.py BUNDLE...

Of each bundle: the digests and lists of files; the golden cases of every profile, recomputed from its weights file; the
same cases and fresh random ones through the structure graphs, composed operators, the program graph and the edge graph,
each with the ranking, and by sets through the graph of links; random trees through operators and by sets.
Prints one line for each comparison, and ends with 1 where one fails.
"""

import hashlib
import json
import os
import pathlib
import sys

import numpy as np

# onnxruntime sends telemetry unless the environment says otherwise before it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime as ort  # noqa: E402

from families import check_moments, embeds, embeds_trees, family_tensors, of_family, relation_form  # noqa: E402

# Two evaluations in float64 of one formula, through up to three layer normalisations.
FLOAT64 = {"absolute": 1e-9, "relative": 1e-9}
# A number half-way between two codes is rounded up by one of them and down by the other: float16 rows give true ties.
FLOAT64_WITH_CODES = {"absolute": 2e-6, "relative": 2e-6}
# Scores and logits of links are rounded to float32, as are sets between operators.
FLOAT64_DEGREE = {"absolute": 2e-7, "relative": 5e-6}
FLOAT64_DEGREE_WITH_CODES = {"absolute": 2e-6, "relative": 1e-4}
CERTAIN = 0.95
MOST_NEIGHBOURS = 64
MOST_PAIRS = 2**12
MOST_ATTRIBUTES = 2**12
MOST_TAILS = 2**14
HIGHEST_PREDICTED = 0.999
EDGES_A_LEVEL = 1024
EDGES_A_LINK = 2**13
MOST_JOINED = 6
FEATURES = (
    "constant share tails functional inverseFunctional range domain frequency neighbours bestRule joinedRules hasRule"
).split()

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
# Of more entities than this, of the structures that project a set 2p alone has a golden set.
MANY_ENTITIES = 2**16


def projects_set(node):
    if isinstance(node, int):
        return False
    if node[0] == "P":
        return not isinstance(node[2], int)
    return any(projects_set(operand) for operand in node[1:])


def golden_sets(entities):
    """The structures that have a golden case by sets at least."""
    return {
        name for name, tree in STRUCTURES.items() if entities <= MANY_ENTITIES or name == "2p" or not projects_set(tree)
    }


CONJUNCTION = {
    "product": lambda a, b: a * b,
    "godel": np.minimum,
    "lukasiewicz": lambda a, b: np.maximum(a + b - 1, 0),
}
DISJUNCTION = {
    "product": lambda a, b: a + b - a * b,
    "godel": np.maximum,
    "lukasiewicz": lambda a, b: np.minimum(a + b, 1),
}


def slots(tree, kind):
    """How many anchors or relations a structure has."""
    if isinstance(tree, int):
        return tree + 1 if kind == "anchors" else 0
    own = [tree[1] + 1] if tree[0] == "P" and kind == "relations" else []
    return max(own + [slots(part, kind) for part in (tree[2:] if tree[0] == "P" else tree[1:])])


# --- the files ---


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def check_files(bundle, text, manifest):
    """Raises where a file is not what the manifest says."""
    own = manifest["sha256"]
    assert sha256(text.replace(own.encode(), b"0" * 64)) == own, "manifest.json was altered"
    found = {path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file()}
    found = {path for path in found if not path.rsplit("/", 1)[-1].startswith(".")}
    assert found == {"manifest.json", *manifest["files"]}, f"files beside the manifest's: {found ^ set(manifest['files'])}"
    for path, entry in manifest["files"].items():
        data = (bundle / path).read_bytes()
        assert len(data) == entry["bytes"] and sha256(data) == entry["sha256"], f"{path} was altered"


def check_facts(bundle, model):
    """Raises where facts.bin breaks its rules."""
    facts = np.fromfile(bundle / "facts.bin", "<i4").reshape(-1, 3)
    heads, relations, tails = facts.T
    for ids, below in ((heads, model["entities"]), (relations, model["relations"]), (tails, model["entities"])):
        assert np.all((ids >= 0) & (ids < below)), "facts.bin: an id out of range"
    assert not np.any(relations % 2), "facts.bin: an odd relation"
    rows = [tuple(row) for row in facts.tolist()]
    assert all(a < b for a, b in zip(rows, rows[1:])), "facts.bin: facts out of order"


def check_vocabulary(bundle, model):
    """Raises where a vocabulary does not name every entity, and every relation that is no inverse, in order."""
    for name, ids in (("entities", range(model["entities"])), ("relations", range(0, model["relations"], 2))):
        lines = (bundle / "vocabulary" / f"{name}.tsv").read_bytes().decode("utf-8").split("\n")
        assert lines.pop() == "", f"{name}.tsv: the last line has no end"
        rows = [line.split("\t") for line in lines]
        assert [row[0] for row in rows] == [str(i) for i in ids], f"{name}.tsv: ids"
        assert len({row[1] for row in rows}) == len(rows), f"{name}.tsv: a key stands there twice"
    prefixes = bundle / "vocabulary" / "prefixes.tsv"
    if prefixes.exists():
        rows = [line.split("\t") for line in prefixes.read_bytes().decode("utf-8").split("\n")]
        assert rows.pop() == [""], "prefixes.tsv: the last line has no end"
        assert rows and all(len(row) == 2 and row[0].endswith(":") and row[1] for row in rows), "prefixes.tsv: a prefix or IRI is missing"
        assert len({row[0] for row in rows}) == len(rows), "prefixes.tsv: a prefix stands there twice"
    aliases = bundle / "vocabulary" / "aliases.tsv"
    if aliases.exists():
        rows = [line.split("\t") for line in aliases.read_bytes().decode("utf-8").split("\n")]
        assert rows.pop() == [""], "aliases.tsv: the last line has no end"
        assert rows and all(len(row) == 4 and row[1] in ("label", "alias", "description") for row in rows), "aliases.tsv: a row has another form"
        ids = [int(row[0]) for row in rows]
        assert ids == sorted(ids) and ids[-1] < model["entities"], "aliases.tsv: ids"


def has_blocks(model):
    """Whether a relation is 2 x 2 blocks instead of a matrix of bases."""
    return relation_form(model) == "blocks"


def is_fuzzqe(model):
    """Whether a model has formulas of docs/model.md, in one of the two forms."""
    return relation_form(model) in ("bases", "blocks")


def tensors_of(profile, model):
    """The tensors of a profile: name -> (type, shape)."""
    e, r, d, k = (model[key] for key in ("entities", "relations", "dimension", "bases"))
    if not is_fuzzqe(model):
        return family_tensors(profile, model)
    blocks = {"relationBlocks": ("<f4", (r, d))} if has_blocks(model) else {}
    if model["projectionInput"] == "domain":
        blocks |= {"relationHeads": ("<i4", (r, min(256, e))), "relationTails": ("<f4", (r, min(256, e)))}
    lengths = {"entityInverseLengths": ("<f4", (e,))} if model["entityNormalisation"] == "l1" and not blocks else {}
    if profile in ("fp32", "fp16"):
        kind = "<f4" if profile == "fp32" else "<f2"
        if blocks:
            return {"entityEmbeddings": (kind, (e, d)), **blocks}
        tables = {"entityEmbeddings": (kind, (e, d)), "relationBiases": (kind, (r, d)), "relationWeights": (kind, (r, d, d))}
        return {**tables, **lengths}
    entities = {
        "entityCodes": ("i1", (d, e)),
        "entityMean": ("<f4", (d,)),
        "entityRows": ("<f2", (e, d)),
        "entityScales": ("<f4", (e,)),
        **(lengths if model["score"] == "innerProduct" else {}),
    }
    if blocks:
        relations = blocks
    elif profile == "int8":
        relations = {
            "relationWeights": ("i1", (r, d, d)),
            "relationWeightsBiases": ("<f4", (r, d)),
            "relationWeightsScales": ("<f4", (r, d)),
        }
    else:
        relations = {
            "relationBases": ("i1", (d, k * d)),
            "relationBasesScales": ("<f4", (k * d,)),
            "relationBiases": ("<f4", (r, d)),
            "relationCoefficients": ("<f4", (r, k)),
        }
    return {**entities, **relations}


def read_weights(path, profile, model):
    """The tensors of weights.bin, in the order of their names, by the rules of alignment."""
    data = path.read_bytes()
    tensors, end = {}, 0
    for name, (kind, shape) in sorted(tensors_of(profile, model).items()):
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        step = 4096 if size >= 65536 else 64
        begin = -(-end // step) * step
        assert not any(data[end:begin]), f"{path}: a gap before {name} that is not zeros"
        tensors[name] = np.frombuffer(data, kind, int(np.prod(shape)), begin).reshape(shape).astype(np.float64)
        end = begin + size
    assert end == len(data), f"{path}: {len(data)} bytes, expected {end}"
    return tensors


def check_domains(bundle, manifest, tensors):
    """Raises where the heads of relations are not those of the facts; of a bundle that records others than it was trained on there is no telling."""
    model, facts = manifest["model"], np.fromfile(bundle / "facts.bin", "<i4").reshape(-1, 3)
    if "relationHeads" not in tensors or manifest["data"]["edges"] != 2 * len(facts):
        return
    edges = np.concatenate([facts, np.stack([facts[:, 2], facts[:, 1] ^ 1, facts[:, 0]], axis=1)])
    degrees = np.bincount(edges[:, 0], minlength=model["entities"])
    for relation in range(model["relations"]):
        along = edges[edges[:, 1] == relation]
        counts = np.bincount(along[:, 0], minlength=model["entities"])
        order = np.argsort(-(counts if len(along) else degrees), kind="stable")[: tensors["relationHeads"].shape[1]]
        tails = counts[order] if len(along) else np.ones(len(order))
        heads = np.where(tails > 0, order, order[0])
        assert np.array_equal(tensors["relationHeads"][relation], heads), f"relation {relation}: other heads"
        assert np.array_equal(tensors["relationTails"][relation], tails), f"relation {relation}: other counts of tails"


def inverse_lengths(vectors):
    """1 / the length of every row."""
    return 1 / np.sqrt(np.sum(vectors * vectors, axis=1) + 1e-12)


def scored_entities(model, entities):
    """s_e of every entity: p_e, or p_e of length 1 for cosines."""
    if model["score"] == "innerProduct":
        return entities
    return entities * inverse_lengths(entities)[:, None]


def check_tables(name, model, tensors, fp32):
    """Raises where the tensors of a profile are not what docs/bundle-format.md makes of those of fp32."""

    def same(tensor, expected, steps=0.0, relative=0.0):
        gap = np.abs(tensors[tensor] - expected) - steps - relative * np.abs(expected)
        assert np.max(gap) <= 0, f"{name}: {tensor} is not made of the tables of fp32"

    def scales(numbers, axis):
        largest = np.max(np.abs(numbers), axis=axis)
        return np.where(largest == 0, 1, largest / 127)

    half = lambda numbers: numbers.astype(np.float16).astype(np.float64)
    if name == "fp16":
        for tensor, numbers in fp32.items():
            same(tensor, half(numbers) if tensor in ("entityEmbeddings", "relationBiases", "relationWeights") else numbers)
        return
    # Codes are compared by what they stand for: half a step, and a little for numbers between two codes.
    entities = fp32["entityEmbeddings"]
    same("entityRows", half(entities))
    scored = scored_entities(model, entities)
    centred = scored - scored.mean(axis=0)
    same("entityMean", scored.mean(axis=0), relative=1e-6)
    if "entityInverseLengths" in tensors:
        same("entityInverseLengths", fp32["entityInverseLengths"])
    same("entityScales", scales(centred, 1), relative=1e-6)
    # With blocks the codes of an entity sum to 0, for which some are rounded the other way.
    same("entityCodes", (centred / tensors["entityScales"][:, None]).T, steps=1.0001 if has_blocks(model) else 0.5001)
    if has_blocks(model):
        assert not np.any(tensors["entityCodes"].sum(axis=0)), f"{name}: codes of an entity that do not sum to 0"
        for tensor in fp32.keys() - {"entityEmbeddings"}:
            same(tensor, fp32[tensor])
        return
    if name != "int8":
        return  # the bases are in this profile alone
    weights = fp32["relationWeights"]
    same("relationWeightsScales", scales(weights, 1), relative=1e-6)
    stored = tensors["relationWeightsScales"][:, None, :]
    same("relationWeights", weights / stored, steps=0.5001)
    inputs = entities
    if model["projectionInput"] == "l2":
        inputs = entities / np.sqrt(np.sum(entities * entities, axis=1, keepdims=True) + 1e-12)
    mistaken = weights - stored * tensors["relationWeights"]
    mended = fp32["relationBiases"] + np.einsum("i,rij->rj", inputs.mean(axis=0), mistaken)
    same("relationWeightsBiases", mended, steps=1e-6, relative=1e-6)


# --- the model in float64 ---


class Float64:
    """What a profile computes, in float64."""

    def __init__(self, profile, model, tensors):
        self.profile, self.model, self.tensors = profile, model, tensors
        self.entities = tensors["entityEmbeddings" if profile in ("fp32", "fp16") else "entityRows"]

        self.joins = {"and": CONJUNCTION, "or": DISJUNCTION}

    def in_codes(self, x, codes):
        """x by whole numbers, with x in two codes of 7 bits."""
        positive = np.maximum(x, 0)
        scale = max(x.max(), 1e-30) / 127
        high = np.maximum(np.round(positive / scale - 0.5), 0)
        low = np.round(127 * (positive / scale - high))
        return scale * (high @ codes + (low @ codes) / 127)

    def affine(self, x, relation):
        tensors = self.tensors
        if self.profile in ("fp32", "fp16"):
            return x @ tensors["relationWeights"][relation] + tensors["relationBiases"][relation]
        if self.profile == "int8":
            y = self.in_codes(x, tensors["relationWeights"][relation])
            return tensors["relationWeightsScales"][relation] * y + tensors["relationWeightsBiases"][relation]
        y = tensors["relationBasesScales"] * self.in_codes(x, tensors["relationBases"])
        shares = tensors["relationCoefficients"][relation]
        return shares @ y.reshape(self.model["bases"], -1) + tensors["relationBiases"][relation]

    def project(self, x, relation):
        if has_blocks(self.model):
            y = x / (x.mean() + 1e-12) - 1
            if self.model["projectionInput"] == "lengthened":
                y = y / min(1, 8 * np.sqrt((y * y).mean() + 1e-6))
            a, b = np.split(y, 2)
            c, s = np.split(self.tensors["relationBlocks"][relation], 2)
            return 1 / (1 + np.exp(-np.concatenate([a * c - b * s, a * s + b * c])))
        if self.model["projectionInput"] == "l2":
            x = x / np.sqrt(np.sum(x * x) + 1e-12)
        y = self.affine(x, relation)
        y = (y - y.mean()) / np.sqrt(y.var() + 1e-5)
        return 1 / (1 + np.exp(-y)) if self.model["mapping"] == "logistic" else np.clip(y, 0, 1)

    def centroid(self, x, relation):
        heads = self.entities[self.tensors["relationHeads"][relation].astype(int)]
        scores = heads @ (x - x.mean())
        shares = ((scores - scores.min()) / (np.ptp(scores) + 1 / (32 * len(x)))) ** 8 + 1e-9
        weights = self.tensors["relationTails"][relation] * shares
        return weights @ heads / weights.sum()

    def embed(self, tree, case):
        if isinstance(tree, int):
            return self.entities[case["anchors"][tree]]
        kind, *rest = tree
        if kind == "P":
            x, relation = self.embed(rest[1], case), case["relations"][rest[0]]
            if self.model["projectionInput"] == "domain" and not isinstance(rest[1], int):
                x = self.centroid(x, relation)
            return self.project(x, relation)
        parts = [self.embed(part, case) for part in rest]
        if kind == "not":
            return (1 - parts[0]) / (1 + self.model.get("negationLambda", 0) * parts[0])
        return self.joins[kind][self.model["logic"]](*parts)

    def answer(self, case, k):
        embedding = self.embed(case["tree"], case)
        ids, scores = self.ranked(embedding, k)
        return {"embedding": embedding, "ids": ids, "scores": scores}

    def by_codes(self, embedding):
        """Scores by codes, of which the order counts."""
        coded = embedding - embedding.min() if has_blocks(self.model) else embedding
        codes = np.round(np.maximum(coded, 0) / (max(coded.max(), 1e-30) / 127))
        return self.tensors["entityScales"] * (codes @ self.tensors["entityCodes"])

    def ranked(self, embedding, k):
        """The k best entities by an embedding, with their scores."""
        if self.profile in ("fp32", "fp16"):
            scores = self.entities @ embedding
            if self.model["score"] == "cosine" and "entityInverseLengths" in self.tensors:
                scores = scores * self.tensors["entityInverseLengths"]
        else:
            scores = scored_entities(self.model, self.entities) @ embedding
        if has_blocks(self.model):
            scores = embedding.mean() + self.entities @ (embedding - embedding.mean())
        candidates = np.arange(len(scores))
        if self.profile not in ("fp32", "fp16"):
            count = min(max(128, 2 * k), len(scores))
            candidates = np.sort(np.argsort(-self.by_codes(embedding), kind="stable")[:count])
        ids = candidates[np.argsort(-scores[candidates], kind="stable")[:k]]
        return ids, scores[ids]


    # What `Sets` needs.

    def cosines(self, x):
        """The cosines of x with all entities; with blocks 2d times the products with x around its mean."""
        tensors = self.tensors
        if has_blocks(self.model):
            around = 2 * len(x) * (x - x.mean())
            if self.profile in ("fp32", "fp16"):
                return self.entities @ around
            coded = self.in_codes(around - around.min(), tensors["entityCodes"])
            return tensors["entityScales"] * coded + tensors["entityMean"] @ around
        if self.profile in ("fp32", "fp16"):
            products = self.entities @ x
        else:
            products = tensors["entityScales"] * self.in_codes(x, tensors["entityCodes"]) + tensors["entityMean"] @ x
        return products * tensors.get("entityInverseLengths", 1.0) / np.sqrt(np.sum(x * x) + 1e-12)

    def links(self, heads, relations):
        """The scores of links, a row each."""
        return np.stack([self.cosines(self.project(self.entities[h], r)) for h, r in zip(heads, relations)])


# --- answers by sets ---


class Evidence:
    """What the recorded facts say of links: everything of (9) but the scores of the model."""

    def __init__(self, entities, relations, tails, weights, rules, entailed, unsure):
        self.entities, self.relations, self.tails, self.entailed = entities, relations, tails, entailed
        self.weights, self.rules, self.unsure = weights, rules, unsure
        self.known = {}

    def kept(self, key, make):
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def recorded(self, head, relation):
        return self.tails.get((head, relation), [])

    def sure(self, head, relation):
        """The degree of each recorded tail: 1, but for a fact of less confidence."""
        return [self.unsure.get((head, relation, tail), 1.0) for tail in self.recorded(head, relation)]

    def heads(self, relation):
        """The entities with a recorded tail."""
        make = lambda: [e for e in range(self.entities) if self.recorded(e, relation)]
        return self.kept(("heads", relation), make)

    def second_tail_share(self, relation):
        heads = self.heads(relation)
        return (sum(len(self.recorded(e, relation)) > 1 for e in heads) + 1) / (len(heads) + 1)

    def has_loop(self, relation):
        return any(e in self.recorded(e, relation) for e in self.heads(relation))

    def ranges(self, relation):
        """The range of every entity as a tail of a relation."""
        return self.kept(("ranges", relation), lambda: self.measure_ranges(relation))

    def measure_ranges(self, relation):
        inverse = relation ^ 1
        tails = set(self.heads(inverse))
        ranges = np.full(self.entities, 0.001)

        def raise_to(holders, share):
            ranges[holders] = np.maximum(ranges[holders], share)

        share_of = lambda holders: (len(tails.intersection(holders)) + 0.02) / (len(holders) + 1)
        for other in range(self.relations):
            holders = self.heads(other)
            raise_to(holders, 1 if other == inverse else share_of(holders))
        for kind in self.weights["typeRelations"]:
            for each in self.heads(kind ^ 1):
                holders = self.recorded(each, kind ^ 1)
                if len(holders) >= 5:
                    raise_to(holders, share_of(holders))
        return ranges.astype(np.float32).astype(np.float64)

    def votes(self, head, relation):
        """The share of every entity in the votes of similar heads."""
        votes = np.zeros(self.entities)
        attributes, having, weights = self.kept("attributes", self.list_attributes)
        length = lambda entity: float(np.float32(sum(weights[one] for one in attributes[entity])))
        products = dict.fromkeys(range(self.entities), 0.0)
        pairs = 0
        looked_at = sorted(attributes.get(head, ()))[:MOST_ATTRIBUTES]
        for one in sorted(looked_at, key=lambda one: len(having[one])):
            pairs += len(having[one])
            if pairs > MOST_PAIRS:
                break
            for entity in having[one]:
                products[entity] += weights[one]
        cosines = [
            (-float(np.float32(products[other] / np.sqrt(length(head) * length(other)))), other)
            for other in self.heads(relation)
            if products[other] > 0
        ]
        links = 0
        for cosine, other in sorted(cosines)[:MOST_NEIGHBOURS]:
            links += len(self.recorded(other, relation))
            if links > MOST_TAILS:
                break
            votes[self.recorded(other, relation)] += cosine**2
        votes[self.recorded(head, relation)] = 0
        return votes / votes.sum() if votes.any() else votes

    def list_attributes(self):
        """The attributes of entities, who has each of them, and what each weighs."""
        found, having = {}, {}
        for (head, relation), tails in self.tails.items():
            found.setdefault(head, set()).update((relation, tail) for tail in tails)
            for tail in tails:
                having.setdefault((relation, tail), set()).add(head)
        weight = lambda count: float(np.float32(np.log(self.entities / count) ** 2))
        return found, having, {one: weight(len(some)) for one, some in having.items()}

    def confidences(self, head, relation):
        """Of each entity that rules name the confidences of these, the highest first."""
        named, looked = {}, 0
        own = [rule for rule in self.rules if rule["relation"] == relation]
        trust = lambda rule: rule["hits"] / (rule["predictions"] + 5)
        order = lambda rule: (-trust(rule), len(rule["ids"]), rule["ids"])
        for rule in sorted((rule for rule in own if rule["kind"] == "path"), key=order):
            if looked >= EDGES_A_LINK:
                break
            paths = [[head]]
            for along in rule["ids"]:
                edges = [(path, tail) for path in paths for tail in self.recorded(path[-1], along)][:EDGES_A_LEVEL]
                looked += len(edges)
                paths = [[*path, tail] for path, tail in edges if tail not in path]
            for end in {path[-1] for path in paths}:
                named.setdefault(end, []).append(trust(rule))
        for rule in own:
            if rule["kind"] == "constant":
                tail, along, to = rule["ids"]
                if to in self.recorded(head, along):
                    named.setdefault(tail, []).append(trust(rule))
        closed = {head, *self.recorded(head, relation)}
        return {e: sorted(some, reverse=True) for e, some in named.items() if e not in closed}

    def features(self, head, relation):
        """The features of every entity, share aside. Shape: [12, |E|]."""
        inverse, recorded = relation ^ 1, self.recorded(head, relation)
        counts = np.array([len(self.recorded(e, inverse)) for e in range(self.entities)])
        best, joined = np.zeros(self.entities), np.zeros(self.entities)
        for entity, some in self.confidences(head, relation).items():
            best[entity] = np.float32(some[0])
            joined[entity] = np.float32(1 - np.prod([1 - min(each, 0.999) for each in some[:MOST_JOINED]]))
        least = np.log(1e-4 / (1 - 1e-4))
        bounded = lambda c: np.clip(c, 1e-4, 0.9999)
        odds = lambda c: np.where(c <= 1e-4, 0, (np.log(bounded(c) / (1 - bounded(c))) - least) / 4)
        rows = {
            "constant": 1,
            "share": 0,
            "tails": np.log(max(len(recorded), 1)) / 4,
            "functional": np.log(self.second_tail_share(relation)) / 4 if recorded else 0,
            "inverseFunctional": np.where(counts > 0, np.log(self.second_tail_share(inverse)) / 4, 0),
            "range": np.log(self.ranges(relation)) / 4,
            "domain": np.log(self.ranges(inverse)[head]) / 4,
            "frequency": np.log((counts + 0.1) / (counts.sum() + 0.1 * self.entities)) / 4,
            "neighbours": np.sqrt(self.votes(head, relation)),
            "bestRule": odds(best),
            "joinedRules": odds(joined),
            "hasRule": best > 0,
        }
        return np.stack([np.broadcast_to(rows[name], self.entities).astype(np.float64) for name in FEATURES])

    def degrees(self, head, relation, scores):
        """(9)"""
        recorded, temperature = self.recorded(head, relation), self.weights["temperature"]
        closed = recorded if self.has_loop(relation) else [*recorded, head]
        x = self.kept(("features", head, relation), lambda: self.features(head, relation)).copy()
        if temperature is not None:
            logits = temperature * scores + np.log(np.minimum(1, 4 * self.ranges(relation)))
            others = np.delete(logits, closed)
            # Distances of hundreds have no exponentials in float64.
            top = others.max() if len(others) else 0
            x[FEATURES.index("share")] = (logits - (top + np.log(np.exp(others - top).sum()) if len(others) else 0)) / 4
        with np.errstate(over="ignore"):
            degrees = np.minimum(HIGHEST_PREDICTED, 1 / (1 + np.exp(-(self.weights["weights"][relation] @ x))))
        degrees[closed] = 0
        degrees[self.entailed.get((head, relation), [])] = HIGHEST_PREDICTED
        degrees[recorded] = self.sure(head, relation)
        return degrees


class Sets:
    """The plan of answers by sets, on whatever computes the scores of links."""

    def __init__(self, computes, state):
        self.computes, self.state, self.evidence = computes, state, state["evidence"]

    def links(self, heads, relation):
        scores = self.computes.links(heads, [relation] * len(heads)).astype(np.float64)
        return np.stack([self.evidence.degrees(head, relation, row) for head, row in zip(heads, scores)])

    def expected(self, relation):
        """How much the link of every entity can be expected to add."""
        counts = [max(len(self.evidence.recorded(e, relation)), 0.1) for e in range(self.evidence.entities)]
        return np.minimum(0.3, 0.1 * np.array(counts)).astype(np.float32).astype(np.float64)

    def members(self, degrees, relation):
        projection, expected = self.state["projection"], self.expected(relation)
        promise = degrees * expected
        order = np.argsort(-promise, kind="stable")
        sure = order[degrees[order] >= CERTAIN]
        likely = order[(degrees[order] < CERTAIN) & (degrees[order] > 0)]
        taken = []
        for group, count in ((sure, projection["certainMembers"]), (likely, projection["predictedMembers"])):
            taken.extend(group[:count].tolist())
            if 0 < count < len(group):
                self.close |= self.near_promise(group[:count], group[count:], degrees, expected)
        self.close |= any(self.near(degree, CERTAIN) for degree in degrees)
        return taken

    def near(self, a, b):
        return a != b and abs(a - b) <= 2 * (5e-7 + self.state["margin"] * max(a, b))

    def near_promise(self, kept, left, degrees, expected):
        error = expected * (5e-7 + self.state["margin"] * degrees)
        promise = degrees * expected
        if promise[kept].min() == promise[left].max():
            return False
        return (promise - error)[kept].min() <= (promise + error)[left].max()

    def projection(self, degrees, relation):
        """(10)"""
        degrees = degrees.astype(np.float64)
        taken = self.members(degrees, relation)
        if not taken:
            return np.zeros_like(degrees)
        conjunction, disjunction = (joins[self.state["logic"]] for joins in (CONJUNCTION, DISJUNCTION))
        reached = conjunction(degrees[taken][:, None], self.links(taken, relation))
        best, total = reached.max(axis=0), reached.sum(axis=0)
        for head in set(np.flatnonzero(degrees > 0).tolist()) - set(taken):
            for tail, sure in zip(self.evidence.recorded(head, relation), self.evidence.sure(head, relation)):
                reached = conjunction(degrees[head], sure)
                best[tail] = max(best[tail], reached)
                total[tail] += reached if degrees[head] >= CERTAIN else 0
        more = 1 - np.exp(-self.state["projection"]["support"] * np.maximum(total - best, 0))
        joined = np.maximum(best, np.minimum(HIGHEST_PREDICTED, disjunction(best, more)))
        return np.where(best == 1, 1, joined)

    def set(self, tree, case):
        if isinstance(tree, int):
            degrees = np.zeros(self.evidence.entities, np.float32)
            degrees[case["anchors"][tree]] = 1
            return degrees
        kind, *rest = tree
        if kind == "P":
            relation, inner = case["relations"][rest[0]], rest[1]
            if isinstance(inner, int):
                return self.links([case["anchors"][inner]], relation)[0].astype(np.float32)
            return self.projection(self.set(inner, case), relation).astype(np.float32)
        parts = [self.set(part, case).astype(np.float64) for part in rest]
        if kind == "not":
            return (1 - parts[0]).astype(np.float32)
        joins = CONJUNCTION if kind == "and" else DISJUNCTION
        return joins[self.state["logic"]](*parts).astype(np.float32)

    def answer(self, case, k):
        """The k best, and whether other members could have been chosen as well."""
        self.close = False
        degrees = self.set(case["tree"], case)
        ids = np.argsort(-degrees, kind="stable")[:k]
        return {"ids": ids, "degrees": degrees[ids].astype(np.float64)}, self.close


def read_confidences(path):
    """The facts of less confidence than 1, in both directions."""
    found, stated = {}, []
    for line in path.read_text("utf-8").splitlines() if path.exists() else []:
        cells = line.split("\t")
        if len(cells) == 6:
            stated.append(np.float32(cells[3] or 1))
            continue
        head, relation, tail, said = map(int, cells)
        if stated[said] < 1:
            found[head, relation, tail] = found[tail, relation ^ 1, head] = float(stated[said])
    return found


def read_facts(path):
    """The tails of links, ascending."""
    tails = {}
    for head, relation, tail in np.fromfile(path, "<i4").reshape(-1, 3).tolist() if path.exists() else []:
        tails.setdefault((head, relation), []).append(tail)
        tails.setdefault((tail, relation + 1), []).append(head)
    return {link: sorted(some) for link, some in tails.items()}


def read_rules(path, model):
    """The rules of rules.tsv."""
    header, *lines = path.read_bytes().decode("utf-8").split("\n")
    assert lines.pop() == "", "rules.tsv: the last line has no end"
    name, version, entities, relations, digest = header.split("\t")
    assert (name, version) == ("fuzzqe-rules", "1"), "rules.tsv: another format"
    assert (int(entities), int(relations)) == (model["entities"], model["relations"]), "rules.tsv: of another graph"
    facts = sha256((path.parent / "facts.bin").read_bytes())
    assert digest in ("-", facts), "rules.tsv: of other facts"
    rules = []
    for line in lines:
        relation, hits, predictions, body = line.split("\t")
        kind, *ids = body.split(" ")
        ids = list(map(int, ids))
        assert kind == "path" and 1 <= len(ids) <= 3 or kind == "constant" and len(ids) == 3, f"rules.tsv: {line}"
        along = ids if kind == "path" else ids[1:2]
        assert max(int(relation), *along) < model["relations"], f"rules.tsv: {line}"
        assert 1 <= int(hits) <= int(predictions) < 2**31, f"rules.tsv: {line}"
        counts = {"relation": int(relation), "hits": int(hits), "predictions": int(predictions)}
        rules.append({**counts, "kind": kind, "ids": ids})
    bodies = {(rule["relation"], rule["kind"], *rule["ids"]) for rule in rules}
    assert len(bodies) == len(rules), "rules.tsv: a rule twice"
    return rules


def read_sets(bundle, manifest, margin):
    """What answers by sets need beside the weights of the model."""
    model = manifest["model"]
    weights = json.loads((bundle / "evidence.json").read_text("utf-8"))
    assert weights["format"] == "fuzzqe-evidence" and weights["version"] == 1, "evidence.json: another format"
    assert weights["features"] == FEATURES, "evidence.json: other features"
    rows = np.array(weights["weights"], np.float64)
    assert rows.shape == (model["relations"], len(FEATURES)) and np.all(np.isfinite(rows)), "evidence.json: weights"
    given = {
        "tails": read_facts(bundle / "facts.bin"),
        "entailed": read_facts(bundle / "entailed.bin"),
        "rules": read_rules(bundle / "rules.tsv", model),
        "weights": {**weights, "weights": rows},
        "unsure": read_confidences(bundle / "provenance.tsv"),
    }
    evidence = Evidence(model["entities"], model["relations"], **given)
    return {"projection": manifest["sets"]["projection"], "logic": model["logic"], "evidence": evidence, "margin": margin}


def with_evidence(state, **changed):
    """A state whose evidence differs in some parts."""
    own = state["evidence"]
    given = {key: getattr(own, key) for key in ("tails", "weights", "rules", "entailed", "unsure")}
    return {**state, "evidence": Evidence(own.entities, own.relations, **{**given, **changed})}


# --- the graphs ---


def ints(*values):
    return np.array(values, np.int32)


class Graphs:
    """The graphs of one profile, each opened once."""

    plan_kinds = ["structure", "operators", "program", "edge"]

    def __init__(self, bundle, profile, model):
        self.bundle, self.profile, self.model, self.open = bundle, profile, model, {}

    def run(self, graph, **feeds):
        path = graph["path"]
        if path not in self.open:
            options = ort.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 3
            self.open[path] = ort.InferenceSession(str(self.bundle / path), options, ["CPUExecutionProvider"])
        names = [output["name"] for output in graph["outputs"]]
        return dict(zip(names, self.open[path].run(names, feeds)))

    def answer(self, kind, case, k, allowed=None):
        """The answer by a kind of graph: structure, operators, program or edge."""
        embedding = getattr(self, kind)(case)["embedding"]
        allowed = np.ones((1, self.model["entities"])) if allowed is None else allowed
        feeds = {"embedding": embedding, "allowed": allowed.astype(np.float32), "k": ints(k)}
        return {**self.run(self.profile["rank"], **feeds), "embedding": embedding}

    def structure(self, case):
        graph = self.profile["structures"][case["structure"]]
        return self.run(graph, anchors=ints(case["anchors"]), relations=ints(case["relations"]))

    def edge(self, case):
        filled = lambda ids: ints(ids + [0] * (3 - len(ids)))
        place = ints(list(STRUCTURES).index(case["structure"]))
        feeds = {"anchors": filled(case["anchors"]), "relations": filled(case["relations"])}
        return self.run(self.profile["edge"], structure=place, **feeds)

    def operators(self, case):
        operators = self.profile["operators"]

        def embed(tree):
            if isinstance(tree, int):
                return self.run(operators["anchor"], entities=ints(case["anchors"][tree]))["embedding"]
            kind, *rest = tree
            if kind == "P":
                relation = ints(case["relations"][rest[0]])
                start = embed(rest[1])
                if "centroid" in operators and not isinstance(rest[1], int):
                    start = self.run(operators["centroid"], operand=start, relations=relation)["embedding"]
                return self.run(operators["project"], operand=start, relations=relation)["embedding"]
            if kind == "not":
                return self.run(operators["negation"], operand=embed(rest[0]))["embedding"]
            graph = operators["conjunction" if kind == "and" else "disjunction"]
            return self.run(graph, left=embed(rest[0]), right=embed(rest[1]))["embedding"]

        return {"embedding": embed(case["tree"])}

    def program(self, case):
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

        answer = value(case["tree"])
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
        )

    # What `Sets` needs.

    def links(self, heads, relations):
        return self.run(self.profile["links"], heads=ints(*heads), relations=ints(*relations))["scores"]


# --- the comparison ---


def excess(found, expected, tolerance):
    """The largest difference beside its tolerance; infinite where something is no number, or of another shape."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    if found.shape != expected.shape:
        return np.inf
    gaps = np.abs(found - expected) / (tolerance["absolute"] + tolerance["relative"] * np.abs(expected))
    return float(np.max(np.where(np.isnan(gaps), np.inf, gaps)))


def compare(found, expected, tolerances):
    """The three rules for a runtime: by how much embedding, scores and ranking leave their tolerance; at most 1 passes."""
    one_row = lambda value: value[0] if value.ndim == 2 else value
    embedding, ids, scores = (one_row(np.asarray(found[key])) for key in ("embedding", "ids", "scores"))
    result = {
        "embedding": excess(embedding, expected["embedding"], tolerances["embedding"]),
        "score": excess(scores, expected["scores"], tolerances["score"]),
        "ranking": np.inf,
    }
    if len(set(ids.tolist())) == len(expected["ids"]):
        known = dict(zip(map(int, expected["ids"]), expected["scores"]))
        last = expected["scores"][-1]
        placed = [known.get(int(i), min(float(score), last)) for i, score in zip(ids, scores)]
        result["ranking"] = excess(placed, expected["scores"], tolerances["score"])
    return result


def fresh_cases(model, count):
    """Random queries, `count` of each structure, the same at every run."""
    random = np.random.default_rng(1)
    draw = lambda tree, kind, key: random.integers(model[key], size=slots(tree, kind)).tolist()
    return [
        {
            "structure": name,
            "tree": tree,
            "anchors": draw(tree, "anchors", "entities"),
            "relations": draw(tree, "relations", "relations"),
        }
        for name, tree in STRUCTURES.items()
        for _ in range(count)
    ]


def random_trees(model, count):
    """Random query trees with up to four operators above an anchor, the same at every run."""
    random = np.random.default_rng(2)

    def grow(case, depth):
        kind = random.choice(["anchor", "P", "P", "P", "and", "or", "not"]) if depth else "anchor"
        if kind == "anchor":
            case["anchors"].append(int(random.integers(model["entities"])))
            return len(case["anchors"]) - 1
        if kind == "P":
            case["relations"].append(int(random.integers(model["relations"])))
            return ("P", len(case["relations"]) - 1, grow(case, depth - 1))
        return (str(kind), *(grow(case, depth - 1) for _ in range(1 if kind == "not" else 2)))

    cases = [{"anchors": [], "relations": []} for _ in range(count)]
    return [{**case, "tree": grow(case, 4)} for case in cases]


def compare_sets(found, expected, tolerances):
    """The rules for sets, as `compare`."""
    as_scores = lambda answer: {"embedding": [0], "ids": answer["ids"], "scores": answer["degrees"]}
    results = compare(as_scores(found), as_scores(expected), {"embedding": FLOAT64, "score": tolerances["degree"]})
    return {"degree": results["score"], "ranking": results["ranking"]}


def check_controls(oracle, graphs, cases, k, tolerances):
    """Raises where a model without b_r (with blocks without turning), with ∨ for ∧, or another model of the family would pass for the one in the bundle."""
    if not is_fuzzqe(oracle.model):
        mutants, structures = oracle.mutants()
        cases = [case for case in cases if case["structure"] in structures]
        expect_noticed(oracle, graphs, mutants, cases, k, tolerances)
        return
    without = {name: 0 * tensor if name.endswith("Biases") else tensor for name, tensor in oracle.tensors.items()}
    if has_blocks(oracle.model):
        without["relationBlocks"] = without["relationBlocks"].copy()
        without["relationBlocks"][:, oracle.model["dimension"] // 2 :] = 0
    one_for_other = Float64(oracle.profile, oracle.model, oracle.tensors)
    one_for_other.joins = {"and": DISJUNCTION, "or": DISJUNCTION}
    mutants = {"b_r": Float64(oracle.profile, oracle.model, without), "∨": one_for_other}
    expect_noticed(oracle, graphs, mutants, cases, k, tolerances)


def expect_noticed(oracle, graphs, mutants, cases, k, tolerances):
    """Raises where one of some other models would pass for the one in the bundle."""
    for what, mutant in mutants.items():
        results = [compare(graphs.answer("structure", case, k), mutant.answer(case, k), tolerances) for case in cases]
        assert max(max(result.values()) for result in results) > 1, f"{oracle.profile}: a mistake in {what} goes unnoticed"


def check_set_controls(oracle, graphs, state, cases, k, tolerances):
    """Raises where other evidence, no support or no recorded facts would pass for those of the bundle."""
    projection, evidence = state["projection"], state["evidence"]

    def with_weight(name, added):
        rows = evidence.weights["weights"].copy()
        rows[:, FEATURES.index(name)] += added
        return with_evidence(state, weights={**evidence.weights, "weights": rows})

    mutants = {
        "the support": {**state, "projection": {**projection, "support": 1 - projection["support"]}},
        "the neighbours": with_weight("neighbours", 3),
        "the ranges": with_weight("range", 1),
        "the constant": with_weight("constant", 0.1),
        "what is recorded": with_evidence(state, tails={}),
    }
    if evidence.rules:
        mutants["the rules"] = with_evidence(state, rules=[])
    if evidence.weights["temperature"] is not None:
        changed = {**evidence.weights, "temperature": 1.1 * evidence.weights["temperature"]}
        mutants["τ"] = with_evidence(state, weights=changed)
    for what, mutant in mutants.items():
        results = [
            compare_sets(Sets(graphs, state).answer(case, k)[0], Sets(oracle, mutant).answer(case, k)[0], tolerances)
            for case in cases
        ]
        assert max(max(result.values()) for result in results) > 1, f"{oracle.profile}: a mistake in {what} goes unnoticed"


def check_allowed(graphs, case, k):
    """Raises where an entity that is not allowed comes before one that is, or scores anything but −1."""
    everyone = graphs.answer("structure", case, k)
    allowed = np.ones((1, graphs.model["entities"]), np.float32)
    first, *_, last = everyone["ids"][0]
    allowed[0, [first, last]] = 0
    few = graphs.answer("structure", case, k, allowed)
    assert not {first, last} & set(few["ids"][0].tolist()), "an entity that is not allowed is among the best"
    kept = [pair for pair in zip(everyone["ids"][0], everyone["scores"][0]) if pair[0] not in (first, last)]
    assert list(zip(few["ids"][0], few["scores"][0]))[: len(kept)] == kept, "the ranking of what is allowed changes"
    allowed[:] = 0
    allowed[0, last] = 1
    one = graphs.answer("structure", case, k, allowed)
    assert one["ids"][0, 0] == last and np.all(one["scores"][0, 1:] == -1), "what is not allowed does not score −1"


def check(bundle):
    """Yields (what was compared, what `compare` gave for each case) for everything in a bundle."""
    text = (bundle / "manifest.json").read_bytes()
    manifest = json.loads(text)
    assert manifest["format"] == "fuzzqe-bundle" and manifest["version"] == 6, "a bundle of another format"
    model = manifest["model"]
    check_files(bundle, text, manifest)
    check_facts(bundle, model)
    check_vocabulary(bundle, model)
    weights = {
        name: read_weights(bundle / "models" / name / "weights.bin", name, model) for name in manifest["profiles"]
    }
    for name, profile in manifest["profiles"].items():
        check_domains(bundle, manifest, weights[name])
        if name != "fp32" and "fp32" in weights:
            check_tables(name, model, weights[name], weights["fp32"])
        check_moments(model, weights[name])
        if name == "fp32" and "entityInverseLengths" in weights[name]:
            lengths = inverse_lengths(weights[name]["entityEmbeddings"])
            assert np.max(np.abs(weights[name]["entityInverseLengths"] / lengths - 1)) < 1e-6, "entityInverseLengths"
        golden = json.loads((bundle / profile["golden"]).read_text("utf-8"))
        k, cases = golden["k"], [{"tree": STRUCTURES[case["structure"]], **case} for case in golden["cases"]]
        with_sets = [case for case in cases if case["sets"] is not None]
        structures = {structure for structure in STRUCTURES if embeds(model, structure)}
        assert {case["structure"] for case in cases} == structures, f"{name}: a structure has no golden case"
        golden_here = golden_sets(model["entities"]) & structures
        assert {case["structure"] for case in with_sets} >= golden_here, f"{name}: a structure has no golden set"
        oracle = Float64(name, model, weights[name]) if is_fuzzqe(model) else of_family(name, model, weights[name])
        tolerances = profile["tolerances"]
        state = read_sets(bundle, manifest, tolerances["degree"]["relative"])
        by_sets = lambda computes, case: Sets(computes, state).answer(case, k)[0]
        floats = name in ("fp32", "fp16")
        float64 = FLOAT64 if floats else FLOAT64_WITH_CODES
        exact = {"embedding": float64, "score": float64, "degree": FLOAT64_DEGREE if floats else FLOAT64_DEGREE_WITH_CODES}
        yield f"{name:<10} golden.json by numpy", [compare(oracle.answer(case, k), case, exact) for case in cases]
        yield f"{name:<10} golden sets by numpy", [
            compare_sets(by_sets(oracle, case), case["sets"], exact) for case in with_sets
        ]
        graphs = Graphs(bundle, profile, model)
        random_cases, random_queries = fresh_cases(model, 2), random_trees(model, 20)
        fresh = [(case, oracle.answer(case, k)) for case in random_cases if embeds(model, case["structure"])]
        trees = [(case, oracle.answer(case, k)) for case in random_queries] if embeds_trees(model) else []
        for kind in graphs.plan_kinds:
            pairs = [(case, case) for case in cases] + fresh + (trees if kind == "operators" else [])
            yield f"{name:<10} {kind} by onnxruntime", [
                compare(graphs.answer(kind, case, k), expected, tolerances) for case, expected in pairs
            ]
        pairs = [(case, case["sets"]) for case in with_sets]
        for case in random_cases + random_queries:
            expected, close = Sets(oracle, state).answer(case, k)
            if not close:
                pairs.append((case, expected))
        yield f"{name:<10} sets by onnxruntime", [
            compare_sets(by_sets(graphs, case), expected, tolerances) for case, expected in pairs
        ]
        check_controls(oracle, graphs, cases, k, tolerances)
        # Where golden cases are of 1p alone, none projects a set.
        asked = with_sets if "2p" in structures else [case for case, _ in pairs]
        check_set_controls(oracle, graphs, state, asked, k, tolerances)
        check_allowed(graphs, cases[0], k)


def main(*bundles):
    if not bundles:
        sys.exit(__doc__)
    failed = False
    for bundle in map(pathlib.Path, bundles):
        try:
            for what, results in check(bundle):
                worst = {key: max(result[key] for result in results) for key in results[0]}
                passed = max(worst.values()) <= 1
                failed |= not passed
                figures = ", ".join(f"{key} {value:.3g}" for key, value in worst.items())
                print(f"{'ok    ' if passed else 'DIFFER'} {bundle.name} {what}: {len(results)} cases, of the tolerance: {figures}")
        except AssertionError as error:
            failed = True
            print(f"REFUSED {bundle.name}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
