"""Trains a small relation-graph network on samples of public graphs; none of them is judged unless it is named.

  train.py OUT.pt --data data --steps 6000 --seconds 800 [--d 32] [--layers 2,3] [--with GRAPH_FOLDER,…] [--batch 16]

Each step hides a part of a graph's facts and asks for some of them. The loss is the softmax over all entities that are no other known tail.
Run again with the same file, it goes on.
"""
import argparse, gzip, json, os, time
import numpy as np, torch
from torch.nn import functional as F
from ultra import Graph, Ultra

torch.set_num_threads(1)
ask = argparse.ArgumentParser()
ask.add_argument('out')
ask.add_argument('--data', default='data')
ask.add_argument('--steps', type=int, default=6000)
ask.add_argument('--seconds', type=float, default=800)
ask.add_argument('--d', type=int, default=32)
ask.add_argument('--layers', default='2,3')
ask.add_argument('--batch', type=int, default=16)
ask.add_argument('--asked', type=int, default=4)
ask.add_argument('--rate', type=float, default=3e-3)
ask.add_argument('--sets', default='fb15k-237,nell995,wn18rr-qa')
ask.add_argument('--samples', type=int, default=24)
ask.add_argument('--facts', type=int, default=4000)
ask.add_argument('--with', dest='more', default='')
ask.add_argument('--seed', type=int, default=1)
a = ask.parse_args()
rng = np.random.default_rng(a.seed)


def facts_of(name):
    path = f'{a.data}/{name}/train.txt'
    text = gzip.open(path + '.gz', 'rt') if os.path.exists(path + '.gz') else open(path)
    triples = np.array([line.split() for line in text], dtype=np.int64)
    return triples[triples[:, 1] % 2 == 0]


def sample(triples, most):
    """The facts among the entities that walks from a random entity meet, relabelled; at most `most` facts."""
    ends = np.concatenate([triples[:, [0, 2]], triples[:, [2, 0]]])
    ends = ends[np.argsort(ends[:, 0], kind='stable')]
    starts = np.searchsorted(ends[:, 0], np.arange(ends[:, 0].max() + 2))
    wanted = int(rng.integers(200, 1500))
    seen, inside, origin, tries = [], set(), 0, 0
    while len(inside) < wanted and tries < 60 * wanted:
        if tries % 400 == 0:
            origin = at = int(triples[rng.integers(len(triples)), 0]) if not seen else seen[int(rng.integers(len(seen)))]
        tries += 1
        if at not in inside:
            inside.add(at), seen.append(at)
        low, high = starts[at], starts[at + 1]
        at = int(ends[rng.integers(low, high), 1]) if rng.random() > 0.1 else origin
    order = {e: i for i, e in enumerate(seen)}
    place = np.full(ends[:, 0].max() + 1, len(seen))
    place[seen] = np.arange(len(seen))
    last = np.maximum(place[triples[:, 0]], place[triples[:, 2]])
    kept = triples[last < len(seen)]
    if len(kept) > most:  # the first entities of the walk, so that the sample stays dense
        limit = np.sort(last[last < len(seen)])[most]
        kept = triples[last < limit]
    relations, counts = np.unique(kept[:, 1], return_counts=True)
    kept = kept[np.isin(kept[:, 1], relations[counts >= 3])]
    return compact(kept)


def compact(kept):
    entities, flat = np.unique(kept[:, [0, 2]], return_inverse=True)
    relations, r = np.unique(kept[:, 1], return_inverse=True)
    flat = flat.reshape(-1, 2)
    return np.stack([flat[:, 0], 2 * r, flat[:, 1]], 1), len(entities), 2 * len(relations)


class Task:
    def __init__(self, triples, entities, relations):
        self.graph, self.triples = Graph(triples, entities, relations), torch.as_tensor(triples)
        self.both = torch.cat([self.triples, torch.stack([self.triples[:, 2], self.triples[:, 1] ^ 1, self.triples[:, 0]], 1)])
        self.key = lambda t: t[:, 0] * relations + t[:, 1]
        self.order = torch.argsort(self.key(self.both))
        self.keys = self.key(self.both)[self.order]

    def draw(self):
        n = len(self.triples)
        hidden = torch.as_tensor(rng.random(n) < rng.choice([0.05, 0.1, 0.2]))
        hidden = torch.cat([hidden, hidden])
        edges, out = self.both[~hidden], self.both[hidden]
        if len(out) == 0:
            return None
        some = torch.as_tensor(np.unique(out[torch.as_tensor(rng.integers(len(out), size=a.asked)), 1].numpy()))
        links, group = [], []
        for i, r in enumerate(some):
            of = out[out[:, 1] == r]
            take = of[torch.as_tensor(rng.permutation(len(of))[: a.batch // len(some)])]
            links.append(take)
            group += [i] * len(take)
        links = torch.cat(links)
        known = torch.zeros(len(links), self.graph.entities, dtype=torch.bool)
        keys = self.key(links)
        low, high = torch.searchsorted(self.keys, keys), torch.searchsorted(self.keys, keys, right=True)
        for i in range(len(links)):
            known[i, self.both[self.order[low[i]:high[i]], 2]] = True
        known[torch.arange(len(links)), links[:, 2]] = False
        return edges, links, some, torch.as_tensor(group), known


began = time.time()
tasks = []
for name in a.sets.split(',') if a.sets else []:
    triples = facts_of(name)
    tasks.append([Task(*sample(triples, a.facts)) for _ in range(a.samples)])
for folder in a.more.split(',') if a.more else []:
    info = json.load(open(f'{folder}/graph.json'))
    triples = np.fromfile(f'{folder}/valid-facts.i32', dtype=np.int32).astype(np.int64).reshape(-1, 3)
    tasks.append([Task(triples, info['entities'], info['relations'])])
for group in tasks:
    sizes = [(t.graph.entities, t.graph.relations, len(t.triples), len(t.graph.relation_edges)) for t in group]
    print('entities, relations, facts, relation edges:', np.mean(sizes, 0).round(), flush=True)

layers = tuple(int(n) for n in a.layers.split(','))
torch.manual_seed(a.seed)
model = Ultra(a.d, layers)
optimiser = torch.optim.AdamW(model.parameters(), lr=a.rate, weight_decay=1e-4)
step, spent = 0, 0.0
if os.path.exists(a.out):
    saved = torch.load(a.out, weights_only=False)
    model.load_state_dict(saved['model']), optimiser.load_state_dict(saved['optimiser'])
    step, spent = saved['step'], saved['spent']
    rng = np.random.default_rng(a.seed + step)
print(sum(p.numel() for p in model.parameters()), 'parameters; from step', step, flush=True)


def save():
    state = {'model': model.state_dict(), 'optimiser': optimiser.state_dict(), 'step': step, 'd': a.d, 'layers': layers, 'spent': spent + time.process_time(), 'arguments': vars(a)}
    torch.save(state, a.out + '.new')
    os.replace(a.out + '.new', a.out)


losses, ranks = [], []
while step < a.steps and time.time() - began < a.seconds:
    group = tasks[int(rng.integers(len(tasks)))]
    task = group[int(rng.integers(len(group)))]
    drawn = task.draw()
    if drawn is None:
        continue
    edges, links, some, at, known = drawn
    for g in optimiser.param_groups:
        g['lr'] = a.rate * min(1, (step + 1) / 200) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * step / a.steps)))
    vectors = model.relation_vectors(task.graph, some)[:, at]
    logits = model(task.graph, links[:, 0], links[:, 1], vectors, edges).masked_fill(known, float('-inf'))
    loss = F.cross_entropy(logits, links[:, 2])
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    step += 1
    own = logits.detach().gather(1, links[:, 2:3])
    ranks.append((1 / (logits >= own).sum(1)).mean().item())
    losses.append(loss.item())
    if step % 200 == 0:
        print(f'step {step}, loss {np.mean(losses):.3f}, MRR {100 * np.mean(ranks):.1f}, {time.process_time():.0f} s of the processor', flush=True)
        losses, ranks = [], []
    if step % 500 == 0:
        save()
save()
print('stopped at step', step, flush=True)
