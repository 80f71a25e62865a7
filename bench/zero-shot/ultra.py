"""A relation-graph network in the way of ULTRA (Galkin et al., ICLR 2024), written from its equations.

The relation model runs on the graph of relations, whose edges say that two relations share heads or tails; the entity model runs on the facts with
the vectors that the relation model gives each relation. Messages are DistMult, sums, and layers `LayerNorm, ReLU, residual`.
"""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Graph:
    """Facts with both directions: relation 2k is forward, 2k + 1 its inverse."""

    def __init__(self, triples, entities, relations):
        t = torch.as_tensor(np.asarray(triples, dtype=np.int64).reshape(-1, 3))
        both = torch.cat([t, torch.stack([t[:, 2], t[:, 1] ^ 1, t[:, 0]], 1)])
        self.entities, self.relations = entities, relations
        self.edges = torch.unique(both, dim=0)
        self.relation_edges = relation_graph(self.edges, entities, relations)


def relation_graph(edges, entities, relations):
    """(from, kind, to) of the four kinds: relations that share heads, tails, a head with a tail, a tail with a head."""
    heads = torch.zeros(relations, entities)
    heads[edges[:, 1], edges[:, 0]] = 1
    tails = torch.zeros(relations, entities)
    tails[edges[:, 1], edges[:, 2]] = 1
    pairs = [(heads, heads), (tails, tails), (heads, tails), (tails, heads)]
    parts = []
    for kind, (a, b) in enumerate(pairs):
        at = (a @ b.T).nonzero()
        parts.append(torch.stack([at[:, 0], torch.full((len(at),), kind), at[:, 1]], 1))
    return torch.cat(parts)


class Layer(nn.Module):
    def __init__(self, d, kinds):
        super().__init__()
        self.linear, self.norm = nn.Linear(2 * d, d), nn.LayerNorm(d)
        if kinds is None:
            self.project = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d))
        else:
            self.kinds = nn.Parameter(torch.randn(kinds, d))

    def forward(self, x, start, edges, relations=None):
        """x, start: [nodes, batch, d]; edges: source, kind, target; relations: [relations, batch or 1, d]."""
        w = self.kinds.unsqueeze(1) if relations is None else self.project(relations)
        source, kind, target = edges
        messages = x.index_select(0, source) * w.index_select(0, kind)
        total = start.index_add(0, target, messages)
        return F.relu(self.norm(self.linear(torch.cat([x, total], -1)))) + x


def run(layers, start, edges, origins, relations=None):
    """All layers. Only the origins are not zero at first, so the first layer needs the messages that they send and no other."""
    is_origin = torch.zeros(len(start), dtype=torch.bool)
    is_origin[origins] = True
    x = start
    for i, layer in enumerate(layers):
        x = layer(x, start, (edges[is_origin[edges[:, 0]]] if i == 0 else edges).T, relations)
    return x


class Ultra(nn.Module):
    def __init__(self, d=64, layers=(6, 6)):
        super().__init__()
        self.d = d
        self.relation_layers = nn.ModuleList(Layer(d, 4) for _ in range(layers[0]))
        self.entity_layers = nn.ModuleList(Layer(d, None) for _ in range(layers[1]))
        self.score = nn.Sequential(nn.Linear(2 * d, 2 * d), nn.ReLU(), nn.Linear(2 * d, 1))

    def relation_vectors(self, graph, asked):
        """Vectors of all relations as the asked relations see them: [relations, asked, d]."""
        start = torch.zeros(graph.relations, len(asked), self.d)
        start[asked, torch.arange(len(asked))] = 1
        return run(self.relation_layers, start, graph.relation_edges, asked)

    def forward(self, graph, heads, asked, vectors, edges=None):
        """Logits of all entities as tails: [batch, entities]. vectors: [relations, batch or 1, d]."""
        at = torch.arange(len(heads))
        query = vectors[asked, at if vectors.shape[1] > 1 else torch.zeros_like(at)]
        start = torch.zeros(graph.entities, len(heads), self.d).index_put((heads, at), query)
        x = run(self.entity_layers, start, graph.edges if edges is None else edges, heads, vectors)
        both = torch.cat([x, query.unsqueeze(0).expand_as(x)], -1)
        return self.score(both).squeeze(-1).T


def published(path):
    """The checkpoint of the authors: messages run from a tail to its head, which is the other direction of every fact."""
    state = torch.load(path, map_location='cpu', weights_only=False)['model']
    model = Ultra()
    own = {}
    for name, value in state.items():
        part, rest = name.split('.', 1)
        if rest.startswith('layers.'):
            _, i, rest = rest.split('.', 2)
            rest = (rest.replace('layer_norm', 'norm').replace('relation_projection', 'project').replace('relation.weight', 'kinds'))
            own[f"{'relation_layers' if part == 'relation_model' else 'entity_layers'}.{i}.{rest}"] = value
        elif part == 'entity_model' and rest.startswith('mlp.'):
            own['score.' + rest[4:]] = value
    model.load_state_dict(own)
    return model


def load(name):
    """A network, and whether its messages run against the facts, as those of the authors do."""
    if name.endswith('.pth'):
        return published(name), True
    saved = torch.load(name, map_location='cpu', weights_only=False)
    model = Ultra(saved['d'], saved['layers'])
    model.load_state_dict(saved['model'])
    return model, False
