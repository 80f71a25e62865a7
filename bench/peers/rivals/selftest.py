"""Checks of the rivals against plain loops and figures worked out by hand: python -m rivals.selftest.

Each check says what it found; those named "control" break something on purpose and must be noticed.
"""

import itertools
import math
import tempfile
from pathlib import Path

import numpy as np
import torch

from .complex import ComplEx
from .dataset import Dataset, Graph
from .embeddings import BetaE, Gqe, Query2Box
from .fuzzy_links import FuzzyLinks
from .fuzzy_sets import FuzzySets, SetsOptions
from .links import Adjacency, CqdOptions, Logic, QtoOptions, RowsOnDemand, answer, cqd, sparse
from .query import And, Entity, Not, Or, Project, Query, Tree, disjuncts, exact, parse, structures
from .ranking import evaluate, filtered_ranks, means
from .selftest_rows import by_rows
from .train_links import LinkOptions, batch_loss, batches, train_links

failures = 0

nested = {
    "1p": [0, [0]], "2p": [0, [0, 2]], "3p": [0, [0, 2, 1]], "2i": [[0, [0]], [1, [2]]], "3i": [[0, [0]], [1, [2]], [2, [1]]],
    "pi": [[0, [0, 2]], [1, [2]]], "ip": [[[0, [0]], [1, [2]]], [3]], "2u": [[0, [0]], [1, [2]], [-1]],
    "up": [[[0, [0]], [1, [2]], [-1]], [3]], "2in": [[0, [0]], [1, [2, -2]]], "3in": [[0, [0]], [1, [2]], [2, [1, -2]]],
    "inp": [[[0, [0]], [1, [2, -2]]], [3]], "pin": [[0, [0, 2]], [1, [2, -2]]], "pni": [[0, [0, 2, -2]], [1, [2]]],
}  # fmt: skip


def check(what: str, holds: bool) -> None:
    global failures
    failures += not holds
    print(("ok    " if holds else "WRONG ") + what, flush=True)


def ranking() -> None:
    scores = np.array([0.9, 0.5, 0.5, 0.8, 0.5, 0.1, 0.5])
    # Hard 1 and 5, easy 0: the others are 2, 3, 4, 6. Of 1: one above, three equal: 1 + 1 + 1.5; of 5: four above.
    ranks = filtered_ranks(scores, [0], [1, 5])
    check(f"ranks of a case by hand are 3.5 and 5: {ranks}", ranks.tolist() == [3.5, 5.0])
    unfiltered = filtered_ranks(scores, [], [1])
    check(f"control: without the filter they differ: {unfiltered}", unfiltered[0] != 3.5)
    first, second = Query("1p", parse(nested["1p"]), [0], [1, 5]), Query("1p", parse(nested["1p"]), [], [0])
    third = Query("2in", parse(nested["2in"]), [], [5])
    figures = evaluate(lambda _: scores, [first, second, third])
    # Mean over answers first: ((1/3.5 + 1/5) / 2 + 1) / 2; over all three answers it would be 0.4952.
    check("MRR is the mean over answers, then over queries", math.isclose(figures["1p"].mrr, (17 / 70 + 1) / 2))
    check("H@3 likewise", figures["1p"].hits3 == 0.5 and figures["1p"].hits10 == 1)
    check("structures with negation are means of their own", means(figures) == (figures["1p"].mrr, 1 / 7))
    try:
        filtered_ranks(np.array([math.nan, 1.0]), [], [1])
        check("scores that are no numbers are refused", False)
    except ValueError:
        check("scores that are no numbers are refused", True)


def queries() -> None:
    a, b, c = (lambda r: Project(r, Entity(0))), (lambda r: Project(r, Entity(1))), Project(1, Entity(2))
    trees = {
        "1p": a(0), "2p": Project(2, a(0)), "3p": Project(1, Project(2, a(0))), "2i": And((a(0), b(2))), "3i": And((a(0), b(2), c)),
        "pi": And((Project(2, a(0)), b(2))), "ip": Project(3, And((a(0), b(2)))), "2u": Or((a(0), b(2))),
        "up": Project(3, Or((a(0), b(2)))), "2in": And((a(0), Not(b(2)))), "3in": And((a(0), b(2), Not(c))),
        "inp": Project(3, And((a(0), Not(b(2))))), "pin": And((Project(2, a(0)), Not(b(2)))), "pni": And((Not(Project(2, a(0))), b(2))),
    }  # fmt: skip
    check("the 14 structures are read from nested lists", all(parse(nested[name]) == trees[name] for name in structures))
    check("up is the union of two 2p", disjuncts(trees["up"]) == [Project(3, a(0)), Project(3, b(2))])
    # 0 -0-> 1, 0 -0-> 2, 1 -2-> 2, 1 -2-> 3, 3 -2-> 0; relations 1 and 3 are the inverses.
    graph = Graph(np.array([[0, 0, 1], [0, 0, 2], [1, 2, 2], [1, 2, 3], [3, 2, 0]]), 4, 4)
    by_hand = {
        "1p": {1, 2}, "2p": {2, 3}, "3p": {0}, "2i": {2}, "3i": set(), "pi": {2, 3}, "ip": {1}, "2u": {1, 2, 3}, "up": {1},
        "2in": {1}, "3in": {2}, "inp": set(), "pin": set(), "pni": set(),
    }  # fmt: skip
    wrong = [name for name in structures if exact(parse(nested[name]), graph) != by_hand[name]]
    check(f"exact answers are those by hand {wrong or ''}", not wrong)


def tiny_data() -> Dataset:
    """Twelve entities in a ring: relation 0 goes one on, relation 2 goes two on; one in six is held out."""
    facts = np.array([[h, r, (h + 1 + r // 2) % 12] for h in range(12) for r in (0, 2)])
    held_out = np.arange(24) % 6 == 5
    return Dataset(Path("tiny"), 12, 4, {"train": facts[~held_out], "valid": facts[held_out], "test": facts[:0]})


def complex_n3() -> None:
    model = ComplEx(5, 4, 3, torch.Generator().manual_seed(0)).double()
    model.load_state_dict({key: torch.randn_like(value) for key, value in model.state_dict().items()})
    number = lambda row: [complex(x, y) for x, y in zip(row[:3].tolist(), row[3:].tolist())]
    heads, relations = torch.tensor([0, 3]), torch.tensor([1, 2])
    plain = [
        [sum(h * r * t.conjugate() for h, r, t in zip(*map(number, (model.entities[a], model.relations[b], each)))).real for each in model.entities]
        for a, b in zip(heads, relations)
    ]
    check("scores are Re Σ h r conj(t) by Python's complex numbers", np.allclose(model.scores(heads, relations).detach(), plain))
    backwards = model.between(model.entities[heads], model.entities[[1, 2]]) @ model.relations.T
    check("and the same by relation", np.allclose([backwards[0, 1].item(), backwards[1, 2].item()], [plain[0][1], plain[1][2]]))

    graph = Graph(np.array([[0, 0, 1], [0, 0, 2], [1, 2, 2], [3, 2, 4]]), 5, 4)
    options = LinkOptions(penalty=0.3)
    pairs, counts, tails = next(batches(graph, 100, np.arange(len(graph.pairs))))
    grouped = batch_loss(model, pairs, counts, tails, options).item()
    one_by_one = 0.0
    for h, r, t in graph.facts.tolist():
        each = model.scores(torch.tensor([h]), torch.tensor([r]))
        cubes = sum(abs(x) ** 3 for row in (model.entities[h], model.relations[r], model.entities[t]) for x in number(row))
        one_by_one += torch.nn.functional.cross_entropy(each, torch.tensor([t])).item() + 0.3 * cubes
    check("the loss of grouped facts is the mean of theirs one by one", math.isclose(grouped, one_by_one / len(graph.facts), rel_tol=1e-9))
    covered = np.concatenate([each[2] for each in batches(graph, 2, np.random.default_rng(0).permutation(len(graph.pairs)))])
    check("an epoch's batches hold every fact once", sorted(covered) == sorted(graph.facts[:, 2]))

    data = tiny_data()
    small = dict(rank=16, batch=8, penalty=0.01, validate_every=10, patience=100, save_seconds=0)
    with tempfile.TemporaryDirectory() as folder:
        whole = train_links(data, LinkOptions(epochs=40, **small), "cpu", Path(folder) / "whole")
        train_links(data, LinkOptions(epochs=15, **small), "cpu", Path(folder) / "parts")
        parts = train_links(data, LinkOptions(epochs=40, **small), "cpu", Path(folder) / "parts", resume=True)
    check("a resumed run ends with the same parameters", torch.equal(whole.entities, parts.entities))
    graph = data.graph("train")
    scores = whole.scores(*torch.from_numpy(graph.pairs).T).detach().numpy()
    recalled = np.mean([row.argmax() in graph.tails(h, r) for (h, r), row in zip(graph.pairs.tolist(), scores)])
    check(f"a ring is learned: {100 * recalled:.0f} % of its links come first", recalled > 0.95)


def brute_force(tree: Tree, links: np.ndarray, logic: Logic) -> np.ndarray:
    """Degrees by trying every entity of every variable, one number at a time."""
    count = links.shape[1]
    inner = lambda each: brute_force(each, links, logic)
    number = lambda join, x, y: join(torch.tensor(x), torch.tensor(y)).item()
    match tree:
        case Entity(id):
            return np.eye(count)[id]
        case Project(relation, of):
            heads = inner(of)
            return np.array([max(number(logic.both, heads[h], links[relation, h, t]) for h in range(count)) for t in range(count)])
        case Not(of):
            return np.array([1 - min(1, logic.negation_scale * x) for x in inner(of)])
        case And(parts) | Or(parts):
            join = logic.both if isinstance(tree, And) else logic.either
            result = inner(parts[0])
            for part in parts[1:]:
                result = np.array([number(join, x, y) for x, y in zip(result, inner(part))])
            return result


def by_links() -> None:
    torch.manual_seed(1)
    data = tiny_data()
    graph = data.graph("train")
    model = ComplEx(12, 4, 4)
    model.load_state_dict({key: torch.randn_like(value) for key, value in model.state_dict().items()})
    with torch.no_grad():
        every = torch.stack([model.scores(torch.arange(12), torch.full((12,), r)) for r in range(4)])
    trees = {name: parse(each) for name, each in nested.items()}
    close = lambda x, y: np.allclose(x, y, atol=1e-6)

    for norm in ("product", "minimum"):
        options = CqdOptions(beam=12, norm=norm)
        links = torch.sigmoid(every).numpy()
        wrong = [n for n, t in trees.items() if not close(cqd(model, options)(Query(n, t, [], [])), brute_force(t, links, Logic(norm)))]
        check(f"CQD with a beam of all entities, {norm}, is brute force {wrong or ''}", not wrong)
    narrow = cqd(model, CqdOptions(beam=1))(Query("2p", trees["2p"], [], []))
    check("control: with a beam of 1 it is not", not close(narrow, brute_force(trees["2p"], torch.sigmoid(every).numpy(), Logic())))

    options = QtoOptions(scale=1.5, threshold=0.05, negation_scale=3)
    shares = torch.softmax(every, -1).numpy()
    links = np.zeros_like(shares)
    for r, h, t in itertools.product(range(4), range(12), range(12)):
        known = graph.tails(h, r)
        degree = min(1 - 1e-4, 1.5 * max(1, len(known)) * shares[r, h, t])
        links[r, h, t] = 1 if t in known else degree if degree >= 0.05 else 0
    logic = Logic("product", 3)
    for kind, up_to in (("dense", 12), ("sparse", 0), ("rows instead of", 0)):
        adjacency = (RowsOnDemand if kind.startswith("rows") else Adjacency)(model, graph, options)
        adjacency.dense_up_to = up_to
        run = lambda tree: answer(tree, adjacency, logic, 0, 12, torch.device("cpu"))
        wrong = [name for name, tree in trees.items() if not close(run(tree), brute_force(tree, links, logic))]
        check(f"QTO with {kind} matrices is brute force {wrong or ''}", not wrong)
    few = RowsOnDemand(model, graph, options, members=1)
    heads, degrees = torch.tensor([3, 5, 7]), torch.tensor([0.5, 0.9, 0.7])
    wanted = [max([0.9 * links[1, 5, t]] + [d for h, d in ((3, 0.5), (7, 0.7)) if t in graph.tails(h, 1)]) for t in range(12)]
    found = few(heads, degrees, 1)
    check("of one member links count, of the others what is recorded", close(found, wanted))
    check("control: of all members they are others", not close(RowsOnDemand(model, graph, options)(heads, degrees, 1), wanted))
    forgets = Adjacency(model, Graph(np.zeros((0, 3), np.int64), 12, 4), options)
    forgotten = answer(trees["2i"], forgets, logic, 0, 12, torch.device("cpu"))
    check("control: without recorded facts it is not", not close(forgotten, brute_force(trees["2i"], links, logic)))
    nothing = sparse([torch.zeros(3, 5), torch.zeros(2, 5)]).hop(torch.tensor([0, 4]), torch.ones(2))
    check("members without tails lead nowhere", nothing.tolist() == [0] * 5)


def fuzzy_links() -> None:
    model = FuzzyLinks(5, 4, 3, False, torch.Generator().manual_seed(0)).double()
    with torch.no_grad():
        model.entities.mul_(10)
        p = torch.sigmoid(model.entities)
        p = p / p.sum(1, keepdim=True)
        turn = torch.zeros(6, 6, dtype=torch.float64)  # W_r of relation 2: c W_r by blocks
        for i in range(3):
            c, s = model.relations[2, i], model.relations[2, i + 3]
            turn[i, i], turn[i, i + 3], turn[i + 3, i], turn[i + 3, i + 3] = c, s, -s, c
        embedding = torch.sigmoid((6 * p[1] - 1) @ turn)
        plain = 10 * 2 * 6 * (p @ (embedding - embedding.mean()))
        found = model.scores(torch.tensor([1]), torch.tensor([2]))[0]
    check("FuzzyLinks: scores are τ 2d (S − mean S) · p with W_r as a matrix", np.allclose(found, plain, atol=1e-6))
    check("FuzzyLinks: and rank as S · p does", (found.argsort() == (p @ embedding).argsort()).all().item())
    lengths = []
    for model.layer_norm in (True, False):
        once, thrice = (model.query(factor * model.vectors(), 10 * model.relations[[0] * 5]) for factor in (1, 3))
        lengths.append(torch.allclose(once, thrice, atol=0.02))
    check("FuzzyLinks: with LN the length of what enters is lost, and without it is not", lengths == [True, False])
    with torch.no_grad():
        model.relations.mul_(1e-3)
        heads, tails = model.vectors()[[0, 1]], model.vectors()[[3, 2]]
        score = lambda r: (model.query(heads, model.relations[[r, r]]) * tails).sum(1)
        first_order, every = model.between(heads, tails) @ model.relations.T, torch.stack([score(r) for r in range(4)], 1)
    check("FuzzyLinks: by small relations, scores are what lies between head and tail times the relation", np.allclose(first_order, every, rtol=1e-4))


def masked_softmax() -> None:
    graph = Graph(np.array([[0, 0, 1], [0, 0, 2], [0, 0, 3], [1, 0, 2], [4, 0, 5], [4, 2, 1], [4, 2, 7]]), 12, 4)
    model = FuzzyLinks(12, 4, 4, False, torch.Generator().manual_seed(2)).double()
    with torch.no_grad():
        model.relations.mul_(10)
    pairs, counts, tails = next(batches(graph, 10**6, np.arange(len(graph.pairs))))
    each = {"masked": [], "all": []}
    for head, relation in pairs.tolist():
        scores = model.scores(torch.tensor([head]), torch.tensor([relation]))[0].exp().tolist()
        own = graph.tails(head, relation)
        for tail in own:
            rest = sum(score for e, score in enumerate(scores) if e not in own)
            each["masked"].append(math.log(rest + scores[tail]) - math.log(scores[tail]))
            each["all"].append(math.log(sum(scores)) - math.log(scores[tail]))
    found = [batch_loss(model, pairs, counts, tails, LinkOptions(penalty=0, masked=masked)).item() for masked in (1, 0)]
    check("links: a masked softmax leaves the other tails out, and another does not", np.allclose(found, [np.mean(each["masked"]), np.mean(each["all"])]))
    check(f"control: the two differ, by {abs(found[0] - found[1]):.3f}", abs(found[0] - found[1]) > 0.01)


def plain_sets(sets: FuzzySets, tree: Tree, known: Graph) -> np.ndarray:
    """(9) and (10) one number at a time, with predictions of all members."""
    count, s = known.entities, sets.options.support
    inner = lambda each: plain_sets(sets, each, known)
    match tree:
        case Entity(id):
            return np.eye(count)[id]
        case Project(relation, of):
            members, result = inner(of), np.zeros(count)
            links = sets.predicted(np.arange(count), relation).double().numpy()
            for e in range(count):
                reached = [m * (1 if e in known.tails(h, relation) else links[h, e]) for h, m in enumerate(members)]
                # A recorded member's prediction adds to the sum as well; an anchor's link is what it is.
                total = sum(reached) + sum(m * links[h, e] for h, m in enumerate(members) if e in known.tails(h, relation))
                best = max(reached)
                more = 0 if isinstance(of, Entity) else 1 - math.exp(-s * max(total - best, 0))
                result[e] = min(1, best + more - best * more)
            return result
        case Not(of):
            return 1 - inner(of)
        case And(parts) | Or(parts):
            result, *others = map(inner, parts)
            for each in others:
                result = result * each if isinstance(tree, And) else result + each - result * each
            return result


def by_sets() -> None:
    torch.manual_seed(3)
    data = tiny_data()
    graph = data.graph("train")
    model = FuzzyLinks(12, 4, 4, False, torch.Generator().manual_seed(1))
    with torch.no_grad():
        model.entities.mul_(10)
        model.relations.mul_(10)
    trees = {name: parse(each) for name, each in nested.items()}
    for share in ("relation", "link"):
        sets = FuzzySets(model, graph, SetsOptions(share, 1.0))
        wrong = [name for name, tree in trees.items() if not np.allclose(sets.answer(tree), plain_sets(sets, tree, graph), atol=1e-5)]
        check(f"fuzzy sets, shares of a {share}, are plain loops {wrong or ''}", not wrong)
    narrow = FuzzySets(model, graph, SetsOptions("link", 1.0, members=0)).answer(trees["2p"])
    check("control: without predicted members they are not", not np.allclose(narrow, plain_sets(sets, trees["2p"], graph), atol=1e-5))
    rows = FuzzySets(model, graph, SetsOptions("link", 1.0, cap=1, weight=1, exponent=0, exclusivity=0)).predicted(np.arange(12), 2)
    check("shares of a link sum to 1 over all entities", np.allclose(rows.sum(1), 1, atol=1e-5))


def embeddings() -> None:
    torch.manual_seed(2)
    ids = torch.arange(6)
    for model in (Gqe(6, 4, 8), Query2Box(6, 4, 8), BetaE(6, 4, 8)):
        model.double().eval()
        name = type(model).__name__
        trees = [parse([[a, [0, 2]], [b, [3]]]) for a, b in ((0, 1), (2, 3), (4, 5))]
        together = model.embed(trees)
        alone = torch.cat([model.embed([tree]) for tree in trees])
        check(f"{name}: a query of a batch is the query alone", torch.allclose(together, alone))
        every, own = model.distance(together, model.table(ids)), model.distance(together, model.table(ids[:3, None]))
        check(f"{name}: distances to all and to one's own entity agree", torch.allclose(every[:, :3].diagonal(), own[:, 0]))
        swapped = model.embed([And(tree.parts[::-1]) for tree in trees])
        check(f"{name}: a conjunction does not depend on the order", torch.allclose(together, swapped))
    box = Query2Box(1, 1, 2).double()
    with torch.no_grad():
        box.points.copy_(torch.tensor([[1.0, 5.0]]))
    # The box has centre (0, 1) and sides 2 · (2, 1): inside by 1 and to the border, outside by 3.
    found = box.distance(torch.tensor([[0.0, 1.0, 2.0, 1.0]]).double(), box.points).item()
    check(f"Query2Box: a distance by hand is 3 + 0.02 · 2: {found:.3f}", math.isclose(found, 3.04))
    beta = BetaE(6, 4, 8).double()
    with torch.no_grad():
        beta.points.uniform_(-0.5, 3)
        queries = torch.cat([beta.embed([parse(each)]) for each in ([0, [0]], [1, [2, -2]])])
        divergence = torch.distributions.kl_divergence(
            torch.distributions.Beta(*beta.entity(ids)[None].chunk(2, -1)), torch.distributions.Beta(*queries[:, None].chunk(2, -1))
        ).sum(-1)
        check("BetaE: distances are PyTorch's own KL divergences", torch.allclose(beta.distance(queries, beta.table(ids)), divergence))
        check("BetaE: twice negated is the same", torch.allclose(beta.negate(beta.negate(queries)), queries))
        check("control: the other direction of KL is not", not torch.allclose(beta.distance(beta.negate(queries), beta.table(ids)), divergence))
    try:
        Gqe(6, 4, 8).embed([parse(nested["2in"])])
        check("GQE refuses negation", False)
    except ValueError:
        check("GQE refuses negation", True)


def main() -> None:
    torch.set_num_threads(1)
    for part in (ranking, queries, complex_n3, fuzzy_links, masked_softmax, by_links, by_sets, embeddings):
        part()
    by_rows(check, nested)
    print("all hold" if failures == 0 else f"{failures} wrong")
    raise SystemExit(failures > 0)


if __name__ == "__main__":
    main()
