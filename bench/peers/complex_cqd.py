"""A rival on the same queries: ComplEx trained on the facts alone, intersections by a product t-norm (CQD).

    python bench/peers/complex_cqd.py DATA [--rank 100] [--epochs 20] [--threads 1] [--limit 300]

DATA is a data set folder of `fuzzqe data`. Trains with reciprocal relations, a sampled softmax over shared negatives and
the N3 penalty (Lacroix et al., ICML 2018), then ranks the hard answers of the 1p, 2i and 3i validation queries like
`fuzzqe evaluate`: filtered, ties share their mean rank, mean over answers, then over queries. A conjunction's score is the
product of its links' probabilities (Arakelyan et al., ICLR 2021), once as sigmoids and once as a softmax over entities.
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


@torch.no_grad()
def links(anchors, relations):
    anchors, relations = torch.tensor(anchors), torch.tensor(relations)
    return query(E(anchors), R(relations)) @ E.weight.T


def mrr_of(score, easy, hard):
    keep = torch.ones(count, dtype=torch.bool)
    keep[easy + hard] = False
    others = score[keep]
    ranks = [1 + (others > score[h]).sum().item() + 0.5 * (others == score[h]).sum().item() for h in hard]
    return float(np.mean([1 / r for r in ranks]))


results, seen = {}, {}
with open(f"{args.data}/queries/valid.jsonl", encoding="utf-8") as file:
    for line in file:
        kind = line[9 : line.index('"', 9)]
        if kind not in ("1p", "2i", "3i") or (args.limit and seen.get(kind, 0) >= args.limit):
            continue
        seen[kind] = seen.get(kind, 0) + 1
        item = json.loads(line)
        branches = [item["query"]] if kind == "1p" else item["query"]
        scores = links([a for a, _ in branches], [r[0] for _, r in branches])
        for name, values in (
            ("sigmoid product", F.logsigmoid(scores).sum(0)),
            ("softmax product", F.log_softmax(scores, 1).sum(0)),
        ):
            results.setdefault((kind, name), []).append(mrr_of(values, item["easy"], item["hard"]))
for (kind, name), values in results.items():
    print(f"{kind} {name}: MRR {100 * np.mean(values):.1f} % of {len(values)} queries")
