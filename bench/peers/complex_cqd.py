"""A rival on the same queries: ComplEx trained on the facts alone, intersections by a product t-norm (CQD).

    python bench/peers/complex_cqd.py DATA [--rank 100] [--epochs 20] [--threads 1] [--limit 300] [--beam 64]

DATA is a data set folder of `fuzzqe data`. Trains with reciprocal relations, a sampled softmax over shared negatives and
the N3 penalty (Lacroix et al., ICML 2018), then ranks the hard answers of the nine structures without negation like
`fuzzqe evaluate`: filtered, ties share their mean rank, mean over answers, then over queries. A conjunction's score is the
product of its links' probabilities, a variable in the middle is searched by a beam (Arakelyan et al., ICLR 2021); a link's
probability is a softmax over entities.
"""

import argparse
import json
import time

import numpy as np
import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("--rank", type=int, default=100)
parser.add_argument("--epochs", type=int, default=20)
parser.add_argument("--batch", type=int, default=2000)
parser.add_argument("--negatives", type=int, default=1024)
parser.add_argument("--penalty", type=float, default=0.05)
parser.add_argument("--rate", type=float, default=0.1)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--limit", type=int, default=0)
parser.add_argument("--beam", type=int, default=64)
parser.add_argument("--split", default="valid")
args = parser.parse_args()
torch.set_num_threads(args.threads)
torch.manual_seed(1)


with open(f"{args.data}/entities.tsv", encoding="utf-8") as file:
    count = sum(1 for _ in file)
forward = np.loadtxt(f"{args.data}/train.tsv", dtype=np.int64, ndmin=2)
facts = np.concatenate([forward, forward[:, [2, 1, 0]] + [0, 1, 0]])
rank, relations = args.rank, int(facts[:, 1].max()) + 1
# The known tails of every (head, relation), as one sorted list with offsets: they do not count as negatives.
facts = facts[np.lexsort((facts[:, 2], facts[:, 1], facts[:, 0]))]
pairs = facts[:, 0] * relations + facts[:, 1]
starts = np.flatnonzero(np.r_[True, pairs[1:] != pairs[:-1]])
lengths = np.diff(np.r_[starts, len(pairs)])
pair_of = np.repeat(np.arange(len(starts)), lengths)
E = torch.nn.Embedding.from_pretrained(0.1 * torch.randn(count, 2 * rank), freeze=False, sparse=True)
R = torch.nn.Embedding.from_pretrained(0.1 * torch.randn(relations, 2 * rank), freeze=False, sparse=True)
optimiser = torch.optim.Adagrad([E.weight, R.weight], lr=args.rate)


def query(head, relation):
    a, b, c, s = head[:, :rank], head[:, rank:], relation[:, :rank], relation[:, rank:]
    return torch.cat([a * c - b * s, a * s + b * c], 1)


def size(x):
    return torch.sqrt(x[:, :rank] ** 2 + x[:, rank:] ** 2 + 1e-12)


print(f"{count} entities, {relations} relations with inverses, {len(facts)} facts", flush=True)
start = time.time()
for epoch in range(args.epochs):
    total = 0.0
    order = np.random.default_rng(epoch).permutation(len(facts))
    for at in range(0, len(order) - args.batch + 1, args.batch):
        rows = order[at : at + args.batch]
        batch = torch.from_numpy(facts[rows])
        negatives = torch.randint(count, (args.negatives,))
        head, relation, tail = E(batch[:, 0]), R(batch[:, 1]), E(batch[:, 2])
        q = query(head, relation)
        others = q @ E(negatives).T
        where = np.full(count, -1)
        where[negatives.numpy()] = np.arange(args.negatives)
        known = lengths[pair_of[rows]]
        steps = np.arange(known.sum()) - np.repeat(np.cumsum(known) - known, known)
        columns = where[facts[np.repeat(starts[pair_of[rows]], known) + steps, 2]]
        mask = torch.zeros(len(rows), args.negatives, dtype=torch.bool)
        mask[np.repeat(np.arange(len(rows)), known)[columns >= 0], columns[columns >= 0]] = True
        others = others.masked_fill(mask, -1e30)
        correction = np.log(count / args.negatives)
        own = (q * tail).sum(1)
        loss = F.softplus(torch.logsumexp(others, 1) + correction - own).mean()
        penalty = args.penalty * sum((size(x) ** 3).sum() for x in (head, relation, tail)) / len(batch)
        optimiser.zero_grad(set_to_none=True)
        (loss + penalty).backward()
        optimiser.step()
        total += loss.item()
    print(f"epoch {epoch + 1}: loss {total / (len(facts) // args.batch):.3f}, {time.time() - start:.0f} s", flush=True)


# Queries are answered by beams: of every variable in the middle the most probable `--beam` entities go on.
epfo = ("1p", "2p", "3p", "2i", "3i", "pi", "ip", "2u", "up")


def links(anchors, relation):
    """log P(tail | head, relation) over all entities: [anchors, entities]."""
    heads = torch.as_tensor(anchors)
    return F.log_softmax(query(E(heads), R(torch.tensor([relation]))) @ E.weight.T, 1)


def hop(state, relation):
    """The best path to each entity from the beam of the most probable ones of `state` [entities]."""
    best, beam = torch.topk(state, min(args.beam, count))
    return (best[:, None] + links(beam, relation)).max(0).values


def path(anchor, relations):
    state = links([anchor], relations[0])[0]
    for relation in relations[1:]:
        state = hop(state, relation)
    return state


def answer(kind, parts):
    """The log of the product t-norm (co-norm: the sum of probabilities, at most 1) over a query's links: [entities]."""
    if kind in ("1p", "2p", "3p"):
        return path(*parts)
    if kind in ("2i", "3i", "pi"):
        return sum(path(*branch) for branch in parts)
    if kind == "ip":
        (first, second), (relation,) = parts
        return hop(path(*first) + path(*second), relation)
    either = torch.logaddexp(*(path(*branch) for branch in (parts[:2] if kind == "2u" else parts[0][:2])))
    return either if kind == "2u" else hop(either, parts[1][0])


def mrr_of(score, easy, hard):
    keep = torch.ones(count, dtype=torch.bool)
    keep[easy + hard] = False
    others = torch.sort(score[keep]).values
    values = score[hard]
    above = len(others) - torch.searchsorted(others, values, right=True)
    equal = len(others) - torch.searchsorted(others, values, right=False) - above
    return (1 / (1 + above + 0.5 * equal)).mean().item()


results = {}
with torch.no_grad(), open(f"{args.data}/queries/{args.split}.jsonl", encoding="utf-8") as file:
    for line in file:
        item = json.loads(line)
        kind = item["type"]
        if kind not in epfo or (args.limit and len(results.get(kind, [])) >= args.limit):
            continue
        results.setdefault(kind, []).append(mrr_of(answer(kind, item["query"]), item["easy"], item["hard"]))
for kind in epfo:
    if kind in results:
        print(f"{kind}: MRR {100 * np.mean(results[kind]):.1f} % of {len(results[kind])} queries", flush=True)
print(f"mean: {100 * np.mean([np.mean(each) for each in results.values()]):.1f} %, {time.time() - start:.0f} s")
