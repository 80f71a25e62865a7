"""The families of `train_step.py` in PyTorch, each in the forms that somebody would write: equal results, different time."""

import torch
import torch.nn.functional as F


def unit(x, epsilon=1e-12):
    return x / torch.sqrt((x * x).sum(-1, keepdim=True) + epsilon)


class Family:
    """The formulas of docs/families.md and docs/model.md on the trained tensors `p`."""

    def __init__(self, p, header, form):
        self.p, self.header, self.form = p, header, form

    def prepare(self, feeds):
        """What all levels of a step share."""

    def entity(self, x):
        return x

    def anchor(self, vectors):
        return vectors

    def relations(self, level, feeds):
        return self.p["coefficients"].index_select(0, feeds[f"relations.{level}"])

    def compared(self, queries):
        """What of a query is compared with entities."""
        return queries


class Fuzzy(Family):
    def intersect(self, operands):
        found = operands[0]
        for each in operands[1:]:
            found = found * each
        return found

    def negate(self, x):
        return 1 - x

    def scores(self, directions, entities):
        """[n, d] with [m, d] of all, or with [n, m, d] of each query's own."""
        if entities.dim() == 2:
            return directions @ entities.T
        return torch.bmm(entities, directions.unsqueeze(2)).squeeze(2)


class Bases(Fuzzy):
    """`grouped`: W_r formed once a relation, padded groups; `outer`: one product of α ⊗ x with all bases; `naive`: a W_r for each row."""

    def entity(self, x):
        p = torch.sigmoid(8 * x - 4)
        return p / (torch.sqrt((p * p).sum(-1, keepdim=True)) + 1e-12)

    def prepare(self, feeds):
        if self.form == "grouped":
            alpha, d = self.p["coefficients"].index_select(0, feeds["groupRelations"]), self.p["bases"].shape[-1]
            self.weights = (alpha @ self.p["bases"].view(-1, d * d)).view(-1, d, d)
            self.bias = (alpha @ self.p["biasBases"]).unsqueeze(1)

    def project(self, level, x, feeds):
        x, d = unit(x), x.shape[1]
        if self.form == "grouped":
            rows, places = feeds[f"rows.{level}"], feeds[f"places.{level}"]
            padded = F.pad(x, (0, 0, 0, 1)).index_select(0, rows.view(-1)).view(*rows.shape, d)
            y = torch.baddbmm(self.bias, padded, self.weights).view(-1, d).index_select(0, places)
        else:
            alpha = self.relations(level, feeds)
            bias = alpha @ self.p["biasBases"]
            if self.form == "outer":
                pairs = (alpha.unsqueeze(2) * x.unsqueeze(1)).view(len(x), -1)
                y = torch.addmm(bias, pairs, self.p["bases"].view(-1, d))
            else:
                weights = (alpha @ self.p["bases"].view(-1, d * d)).view(-1, d, d)
                y = torch.bmm(x.unsqueeze(1), weights).squeeze(1) + bias
        return torch.sigmoid(F.layer_norm(y, (d,), eps=1e-5))

    def compared(self, queries):
        return unit(queries) * torch.exp(self.p["logTemperature"])


class Blocks(Fuzzy):
    def entity(self, x):
        p = torch.sigmoid(x)
        return p / (p.sum(-1, keepdim=True) + 1e-12)

    def project(self, level, x, feeds):
        y = x / (x.mean(-1, keepdim=True) + 1e-12) - 1
        (a, b), (c, s) = y.chunk(2, 1), self.relations(level, feeds).chunk(2, 1)
        return torch.sigmoid(torch.cat([a * c - b * s, a * s + b * c], 1))

    def compared(self, queries):
        centred = queries - queries.mean(-1, keepdim=True)
        return centred * (2 * queries.shape[1] * torch.exp(self.p["logTemperature"]))


def layer(layers, at, x, bias=True):
    y = x @ layers[at, :-1]
    return y + layers[at, -1] if bias else y


def attention(layers, operands):
    """A weight for each element of each operand: [operands, n, m]."""
    return torch.softmax(layer(layers, 1, F.relu(layer(layers, 0, operands)), bias=False), 0)


class Complex(Fuzzy):
    def project(self, level, x, feeds):
        (a, b), (c, s) = x.chunk(2, 1), self.relations(level, feeds).chunk(2, 1)
        return torch.cat([a * c - b * s, a * s + b * c], 1)

    def compared(self, queries):
        return queries * torch.exp(self.p["logTemperature"])

    def cubes(self, heads, tails, feeds):
        """N3 of links, the mean over them, times the temperature."""
        total = 0
        for rows in (heads, self.relations(0, feeds), tails):
            a, b = rows.chunk(2, 1)
            total = total + torch.sqrt(a * a + b * b).pow(3).sum()
        return total / len(heads) * torch.exp(self.p["logTemperature"])


class Gqe(Family):
    """`plain` as KGReasoning writes it, `cdist` by the kernel of distances."""

    def project(self, level, x, feeds):
        return x + self.relations(level, feeds)

    def intersect(self, operands):
        operands = torch.stack(operands)
        return (attention(self.p["setAttention"], operands) * operands).sum(0)

    def scores(self, queries, entities):
        if self.form == "cdist":
            return -torch.cdist(queries.unsqueeze(1), entities, p=1).squeeze(1)
        return -torch.norm(entities - queries.unsqueeze(1), p=1, dim=-1)


class GqeDeepSets(Gqe):
    def intersect(self, operands):
        layers = self.p["setGate"]
        return layer(layers, 1, F.relu(layer(layers, 0, torch.stack(operands))).mean(0))


class Query2Box(Family):
    """`plain` as KGReasoning writes it, `corners` by three distances: to both corners and to the centre."""

    def anchor(self, vectors):
        return torch.cat([vectors, torch.zeros_like(vectors)], 1)

    def project(self, level, x, feeds):
        return x + self.relations(level, feeds)

    def intersect(self, operands):
        centres, offsets = torch.stack(operands).chunk(2, -1)
        centre = (attention(self.p["setAttention"], centres) * centres).sum(0)
        gate = torch.sigmoid(layer(self.p["setGate"], 1, F.relu(layer(self.p["setGate"], 0, offsets)).mean(0)))
        return torch.cat([centre, offsets.amin(0) * gate], -1)

    def scores(self, queries, entities):
        centre, offset = queries.unsqueeze(1).chunk(2, -1)
        if self.form == "corners":
            distance = lambda point: torch.cdist(point, entities, p=1).squeeze(1)
            outside = (distance(centre - offset) + distance(centre + offset)) / 2 - offset.sum(-1)
            return -(0.98 * outside + 0.02 * distance(centre))
        far = (entities - centre).abs()
        outside, inside = F.relu(far - offset), torch.min(far, offset)
        return -(torch.norm(outside, p=1, dim=-1) + 0.02 * torch.norm(inside, p=1, dim=-1))


def log_beta(a, b):
    return torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)


class BetaE(Family):
    """`plain` by PyTorch's own divergence of distributions, as KGReasoning writes it; `products` by a matrix product of moments."""

    def entity(self, x):
        return (x + 1).clamp(0.05, 1e5)

    def dense(self, name, x):
        layers = self.p[name]
        return torch.addmm(layers[-1], x, layers[:-1])

    def project(self, level, x, feeds):
        x = F.relu(self.dense("hopInput", torch.cat([x, self.relations(level, feeds)], 1)))
        return self.entity(self.dense("hopOutput", F.relu(self.dense("hopHidden", x))))

    def intersect(self, operands):
        operands, layers = torch.stack(operands), self.p["setAttention"]
        inputs = operands.shape[-1]
        first = F.relu(operands @ layers[:-1, :inputs] + layers[-1, :inputs])
        weights = torch.softmax(first @ layers[:-1, inputs:], 0)
        return (torch.cat([weights, weights], -1) * operands).sum(0)

    def negate(self, x):
        return 1 / x

    def scores(self, queries, entities):
        if self.form == "plain":
            beta = lambda x: torch.distributions.Beta(*x.chunk(2, -1), validate_args=False)
            divergences = torch.distributions.kl_divergence(beta(entities), beta(queries.unsqueeze(1)))
            return -torch.norm(divergences, p=1, dim=-1)
        a, b = entities.chunk(2, -1)
        both = torch.digamma(a + b)
        slopes = torch.cat([torch.digamma(a) - both, torch.digamma(b) - both], -1)
        own = (entities * slopes).sum(-1) - log_beta(a, b).sum(-1)
        crossed = queries @ slopes.T if entities.dim() == 2 else torch.bmm(slopes, queries.unsqueeze(2)).squeeze(2)
        return crossed - own - log_beta(*queries.chunk(2, -1)).sum(-1, keepdim=True)


families = {
    **{"bases": Bases, "blocks": Blocks, "complex": Complex},
    **{"gqe": Gqe, "gqeDeepSets": GqeDeepSets, "query2box": Query2Box, "betae": BetaE},
}
