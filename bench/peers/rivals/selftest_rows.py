"""Checks of what works on many rows at once against the same one by one; a part of rivals.selftest."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from .complex import ComplEx
from .dataset import Graph
from .embeddings import BetaE
from .query import exact, parse
from .query_rows import exact_of, ids_of, with_ids
from .ranking import filtered_ranks
from .train_embeddings import Examples, batch_loss
from .train_links import link_mrr

entities, relations = 30, 6


def by_rows(check: Callable[[str, bool], None], nested: dict[str, Any]) -> None:
    random = np.random.default_rng(5)
    draw = lambda count: np.stack([random.integers(entities, size=count), 2 * random.integers(3, size=count), random.integers(entities, size=count)], 1)
    graph, held_out = Graph(draw(150), entities, relations), Graph(draw(40), entities, relations)

    heads, asked = random.integers(entities, size=50), random.integers(relations, size=50)
    row, tails = graph.tails_of_many(heads, asked)
    plain = [(i, t) for i, (h, r) in enumerate(zip(heads, asked)) for t in graph.tails(int(h), int(r))]
    check("tails of many (head, relation) are theirs one by one", list(zip(row, tails)) == plain)

    wrong = []
    for name, each in nested.items():
        shape = parse(each)
        trees = [with_ids(shape, map(int, random.permutation(relations))) for _ in range(20)]
        counts, answers = exact_of(shape, np.array([ids_of(tree) for tree in trees]), graph, at_once=7)
        one_by_one = [sorted(exact(tree, graph)) for tree in trees]
        if counts.tolist() != list(map(len, one_by_one)) or answers.tolist() != sum(one_by_one, []):
            wrong.append(name)
    check(f"answers of many queries are theirs one by one {wrong or ''}", not wrong)

    torch.manual_seed(4)
    model = ComplEx(entities, relations, 3)
    with torch.no_grad():
        for each in model.parameters():
            each.copy_(torch.randn_like(each))
        values = []
        for h, r in held_out.pairs.tolist():
            easy = graph.tails(h, r)
            hard = np.setdiff1d(held_out.tails(h, r), easy)
            if len(hard):
                scores = model.scores(torch.tensor([h]), torch.tensor([r]))[0].numpy()
                values.append((1 / filtered_ranks(scores, easy.tolist(), hard.tolist())).mean())
    check("the MRR of links is that of filtered ranks one by one", np.isclose(link_mrr(model, held_out, graph), np.mean(values), atol=1e-6))

    shape = parse(nested["2in"])
    ids = np.stack([random.integers(count, size=80) for count in (entities, relations) * 2], 1)
    examples = Examples(shape, ids, *exact_of(shape, ids, graph), "cpu")
    beta, chosen, negatives = BetaE(entities, relations, 4), np.arange(len(examples))[::2], torch.arange(3, 20)
    found = batch_loss(beta, examples, chosen, negatives, np.random.default_rng(6)).item()
    drawn, terms, weights = np.random.default_rng(6), [], []
    for i in chosen:
        own = examples.answers[examples.starts[i] : examples.starts[i] + examples.counts[i]]
        query = beta.embed([with_ids(shape, iter(examples.ids[i].tolist()))])
        far = torch.tensor([n for n in negatives.tolist() if n not in own.tolist()])
        near = own[drawn.integers(len(own))][None]
        loss = F.logsigmoid(beta.margin - beta.distance(query, beta.table(near))) + F.logsigmoid(beta.distance(query, beta.table(far)) - beta.margin).mean()
        terms.append(-loss.item() / 2)
        weights.append(len(own) ** -0.5)
    check("the loss of a batch is the weighted mean of its queries' one by one", np.isclose(found, np.average(terms, weights=weights), rtol=1e-5))
