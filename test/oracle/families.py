"""The families of docs/families.md in float64, as the tables of a bundle hold their parameters."""

import math

import numpy as np

# What stands for a number that a vector does not have.
MISSING = 1e6
# GQE, Query2Box and BetaE: how many vectors of m numbers a query has.
PARTS = {"gqe": 4, "gqeDeepSets": 6, "query2box": 12, "betae": 8, "betaeDm": 4}


def relation_form(model):
    return model.get("relationForm", "bases")


def embeds(model, name):
    """Whether the queries of a structure are embedded."""
    form = relation_form(model)
    return name == "1p" if form == "complex" else not (form in ("gqe", "gqeDeepSets", "query2box") and "n" in name)


def embeds_trees(model):
    """Whether queries of any shape are embedded."""
    return relation_form(model) in ("bases", "blocks", "betaeDm")


def family_tensors(profile, model):
    """The tensors of a family that is not FuzzQE: name -> (type, shape)."""
    form = relation_form(model)
    e, r, d = (model[key] for key in ("entities", "relations", "dimension"))
    if form == "complex":
        return {"entityEmbeddings": ("<f4" if profile == "fp32" else "<f2", (e, d)), "relationVectors": ("<f4", (r, d))}
    m = d // PARTS[form]
    if form.startswith("betae"):
        layers = {"hopInput": (3 * m + 1, 4 * m), "hopHidden": (4 * m + 1, 4 * m), "hopOutput": (4 * m + 1, 2 * m)}
        shapes = {"entityEmbeddings": (e, 4 * m + 1), "relationVectors": (r, m), "setAttention": (2 * m + 1, 3 * m), **layers}
    else:
        shapes = {"entityEmbeddings": (e, m), "relationVectors": (r, 2 * m if form == "query2box" else m)}
        layers = {"gqe": ["setAttention"], "gqeDeepSets": ["setGate"], "query2box": ["setAttention", "setGate"]}
        shapes |= dict.fromkeys(layers[form], (2, m + 1, m))
    return {name: ("<f4", shape) for name, shape in shapes.items()}


def of_family(profile, model, tensors):
    """What computes a model that is not FuzzQE."""
    form = relation_form(model)
    return (Complex if form == "complex" else Beta if form.startswith("betae") else Points)(profile, model, tensors)


def ranked(scores, k):
    """The k best entities with their scores."""
    ids = np.argsort(-scores, kind="stable")[:k]
    return {"ids": ids, "scores": scores[ids]}


class Complex:
    """ComplEx-N3, whose scores are Re<h, r, conj(t)>."""

    def __init__(self, profile, model, tensors):
        self.profile, self.model, self.tensors = profile, model, tensors
        in_pairs = lambda table: np.split(table, 2, axis=1)[0] + 1j * np.split(table, 2, axis=1)[1]
        self.entities, self.relations = in_pairs(tensors["entityEmbeddings"]), in_pairs(tensors["relationVectors"])

    def project(self, head, relation):
        return self.entities[head] * self.relations[relation]

    def products(self, query):
        return (query * self.entities.conj()).real.sum(axis=1)

    def answer(self, case, k):
        query = self.project(case["anchors"][0], case["relations"][0])
        s = self.products(query)
        scores = np.where(s >= 0, 1 + s, 1 / (1 - np.minimum(s, 0)))
        return {"embedding": np.concatenate([query.real, query.imag]), **ranked(scores, k)}

    def links(self, heads, relations):
        """The scores of links, a row each."""
        return np.stack([self.products(self.project(head, relation)) for head, relation in zip(heads, relations)])

    def mutants(self):
        """Other models by what differs, with the structures of queries that must tell."""
        turned, straight, linear = (Complex(self.profile, self.model, self.tensors) for _ in range(3))
        turned.entities = turned.entities.conj()
        straight.relations = straight.relations.real
        linear.products = lambda query: (query * self.entities).real.sum(axis=1)
        return {"the sign of imaginary parts": turned, "turning": straight, "the conjugate": linear}, ("1p",)


class Distances:
    """A family by distances. A query is a list of alternatives, each a list of operands whose conjunction it is."""

    def __init__(self, profile, model, tensors):
        self.profile, self.model, self.tensors = profile, model, tensors
        self.entities = tensors["entityEmbeddings"]
        self.m = model["dimension"] // PARTS[relation_form(model)]
        self.has_and = True

    def alternatives(self, tree, case):
        if isinstance(tree, int):
            return [[self.anchor(case["anchors"][tree])]]
        kind, *rest = tree
        if kind == "P":
            row = self.tensors["relationVectors"][case["relations"][rest[0]]]
            return [[self.moved(self.closed(each), row)] for each in self.alternatives(rest[1], case)]
        if kind == "not":
            (operands,) = self.alternatives(rest[0], case)
            return [[self.negated(self.closed(operands))]]
        left, right = (self.alternatives(part, case) for part in rest)
        if kind == "or" or not self.has_and:
            return self.disjunction(left, right)
        return [a + b for a in left for b in right]

    def disjunction(self, left, right):
        return left + right

    def closed(self, operands):
        return operands[0] if len(operands) == 1 else self.conjunction(operands)

    def answer(self, case, k):
        found = self.alternatives(case["tree"], case)
        vectors = [self.vector(each) for each in found]
        if sum(map(len, vectors)) < self.model["dimension"]:
            vectors.append(np.full_like(vectors[0], MISSING))
        distances = np.min([self.distances(self.closed(each)) for each in found], axis=0)
        return {"embedding": np.concatenate(vectors), **ranked(1 / (1 + distances), k)}

    def links(self, heads, relations):
        """The scores of links, a row each."""
        rows = (self.tensors["relationVectors"][relation] for relation in relations)
        return np.stack([-self.distances(self.moved(self.anchor(head), row)) for head, row in zip(heads, rows)])

    def mutants(self):
        """Other models by what differs, with the structures of queries that must tell."""
        made = {name: type(self)(self.profile, self.model, {**self.tensors, name: self.changed(table)}) for name, table in self.tensors.items()}
        made["∨"] = type(self)(self.profile, self.model, self.tensors)
        made["∨"].has_and = False
        return made, ("2i",)

    def changed(self, table):
        """A table that no model has."""
        return 0 * table


class Points(Distances):
    """GQE or Query2Box: an operand is a point and an offset (c, o)."""

    def __init__(self, profile, model, tensors):
        super().__init__(profile, model, tensors)
        self.is_box = relation_form(model) == "query2box"
        self.is_deep = relation_form(model) == "gqeDeepSets"

    def anchor(self, entity):
        return self.entities[entity], np.zeros(self.m)

    def moved(self, operand, row):
        """(4)"""
        centre, offset = operand
        return centre + row[: self.m], offset + row[self.m :] if self.is_box else offset

    def layer(self, name, at, x):
        """x W + b."""
        table = self.tensors[name][at]
        return x @ table[:-1] + table[-1]

    def attention(self, centres):
        return np.maximum(self.layer("setAttention", 0, centres), 0) @ self.tensors["setAttention"][1][:-1]

    def seen(self, operands):
        """The first layer of `setGate`."""
        return np.maximum(self.layer("setGate", 0, operands), 0)

    def conjunction(self, operands):
        """(5), of any number of points or boxes at once."""
        centres, offsets = (np.stack(parts) for parts in zip(*operands))
        if self.is_deep:
            return self.layer("setGate", 1, self.seen(centres).mean(axis=0)), offsets[0]
        weights = np.exp(self.attention(centres))
        centre, offset = (weights * centres).sum(axis=0) / weights.sum(axis=0), offsets[0]
        if self.is_box:
            seen = self.seen(offsets).mean(axis=0)
            offset = offsets.min(axis=0) / (1 + np.exp(-self.layer("setGate", 1, seen)))
        return centre, offset

    def vector(self, operands):
        """An alternative as the graphs hold it."""
        centre, offset = self.closed(operands)
        parts = [centre, offset] if self.is_box else [centre]
        if len(operands) == 1:
            return np.concatenate(parts + [np.full(self.m, MISSING)] * (self.model["dimension"] // (2 * self.m) - len(parts)))
        centres, offsets = (np.stack(each) for each in zip(*operands))
        number = np.full(self.m, len(operands))
        if self.is_deep:
            return np.concatenate([centre, self.seen(centres).sum(axis=0), number])
        parts.append(np.log(np.exp(self.attention(centres)).sum(axis=0)))
        if self.is_box:
            parts += [offsets.min(axis=0), self.seen(offsets).sum(axis=0), number]
        return np.concatenate(parts)

    def distances(self, operand):
        """(8)"""
        centre, offset = operand
        far = np.abs(self.entities - centre)
        if not self.is_box:
            return far.sum(axis=1)
        return (np.maximum(far - offset, 0) + 0.02 * np.abs(np.minimum(far, offset))).sum(axis=1)


# The logarithm of the gamma function, of each element.
lgamma = np.vectorize(math.lgamma, otypes=[float])


def digamma(x):
    """ψ: the recurrence until x is above 200, where three terms of the series are enough for float64."""
    x = np.array(x, np.float64)
    total = np.zeros_like(x)
    while np.any(x < 200):
        total -= np.where(x < 200, 1 / x, 0)
        x = np.where(x < 200, x + 1, x)
    return total + np.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4)


def log_beta(shapes):
    """The sum of ln B over the distributions of rows (α, β)."""
    alpha, beta = np.split(shapes, 2, axis=-1)
    return (lgamma(alpha) + lgamma(beta) - lgamma(alpha + beta)).sum(axis=-1)


class Beta(Distances):
    """BetaE: an operand is (α, β)."""

    def anchor(self, entity):
        return self.entities[entity, : 2 * self.m]

    def layer(self, name, x):
        return x @ self.tensors[name][:-1] + self.tensors[name][-1]

    def moved(self, operand, row):
        """(4)"""
        first = np.maximum(self.layer("hopInput", np.concatenate([operand, row])), 0)
        return np.clip(self.layer("hopOutput", np.maximum(self.layer("hopHidden", first), 0)) + 1, 0.05, 1e5)

    def attention(self, operands):
        table, width = self.tensors["setAttention"], 2 * self.m
        first = np.maximum(operands @ table[:-1, :width] + table[-1, :width], 0)
        return np.tile(first @ table[:-1, width:], 2)

    def conjunction(self, operands):
        """(5), of any number of operands at once."""
        logs = self.attention(np.stack(operands))
        weights = np.exp(logs - logs.max(axis=0))
        return (weights * np.stack(operands)).sum(axis=0) / weights.sum(axis=0)

    def negated(self, operand):
        """(7)"""
        return 1 / operand

    def disjunction(self, left, right):
        if relation_form(self.model) == "betae":
            return left + right
        both = [self.negated(self.closed(operands)) for operands in (*left, *right)]
        return [[self.negated(self.conjunction(both))]]

    def vector(self, operands):
        """An alternative as the graphs hold it."""
        logs = np.full(2 * self.m, MISSING)
        if len(operands) > 1:
            each = self.attention(np.stack(operands))
            logs = each.max(axis=0) + np.log(np.exp(each - each.max(axis=0)).sum(axis=0))
        return np.concatenate([self.closed(operands), logs])

    def distances(self, operand):
        """(8), with −E ln X, −E ln(1 − X) and −H as the bundle stores them."""
        moments = self.entities[:, 2 * self.m :]
        return np.maximum(log_beta(operand) + moments @ np.append(operand - 1, 1), 0)

    def mutants(self):
        made, _ = super().mutants()
        made["¬"] = type(self)(self.profile, self.model, self.tensors)
        made["¬"].negated = lambda operand: operand
        return made, ("2i", "2in")

    def changed(self, table):
        """α and β stay above 0."""
        return table / 2


def check_moments(model, tensors):
    """Raises where what a bundle of BetaE stores of the entities' distributions does not follow from their α and β."""
    if not relation_form(model).startswith("betae"):
        return
    m = model["dimension"] // PARTS[relation_form(model)]
    shapes, moments = np.split(tensors["entityEmbeddings"], [2 * m], axis=1)
    assert moments_follow(shapes, moments), "entityEmbeddings: moments of other distributions"
    assert not moments_follow(shapes, np.roll(moments, 1, axis=0)), "moments of another entity go unnoticed"


def moments_follow(shapes, moments):
    """Whether −E ln X, −E ln(1 − X) and −H are those of distributions (α, β)."""
    alpha, beta = np.split(shapes, 2, axis=1)
    surprises = np.tile(digamma(alpha + beta), 2) - digamma(shapes)
    terms = (shapes - 1) * surprises
    expected = np.column_stack([surprises, -(log_beta(shapes) + terms.sum(axis=1))])
    # A number is rounded once to float32. The entropy is a sum, and α and β are rounded before it is taken.
    sizes = np.column_stack([np.abs(surprises), np.abs(terms).sum(axis=1) + np.abs(log_beta(shapes))])
    return bool(np.all(np.abs(moments - expected) <= 1e-8 + 1e-6 * sizes))
