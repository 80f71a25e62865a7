import { createRandom, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import type { ModelConfig, OfFamily } from '@fuzzqe/model';
import { anchorRows } from '../embedding/anchor-rows.ts';
import { evenElement, evenVectors } from '../embedding/new-entities.ts';
import type { ScoringContext } from '../embedding/score-entities.ts';
import { linkDirections, product, scaleOf } from '../sets/grown-link-scores.ts';

/** What entities are folded in with. */
export interface FoldingContext {
  readonly facts: KnowledgeGraph;
  readonly model: Pick<ModelConfig, 'entities' | 'relations' | 'dimension' | 'entityNormalisation'> &
    OfFamily;
  readonly context: ScoringContext;
  /** τ of (9). */
  readonly temperature: number;
}

/** How many links with the entity, and how many without, are looked at. */
const most = { links: 48, others: 96 } as const;
/** How many entities stand for all others. */
const mostSampled = 128;
const steps = 40;
const rate = 0.1;
/** The weight of the norm, for each link: what a vector costs that is as far from `evenVectors` as the mean of known entities. */
const normWeight = 2;

/** A link (h, r), which the entity is a tail of or not. */
interface FoldedLink {
  readonly head: number;
  readonly relation: number;
  readonly isTail: boolean;
  /** How many links this link stands for. */
  readonly weight: number;
}

/**
 * p_e of an entity that came after the model, by its facts alone: all else stays as it was trained.
 *
 * `argmin_z Σ_{(h, r, e) recorded} softplus(L_hr − τ s_hr(e)) + Σ_{others} w softplus(τ s_hr(e) − L_hr) + 2 n N(e) / N`, `p_e = σ(z) / ‖σ(z)‖`, with L_hr the
 * logarithm of the sum of `exp(τ s_hr)` over a sample of the other entities, facts backwards included; n counts the recorded links. `N(e) = Σ |pair|³` of
 * `p_e / mean(p_e) − 1`, and N is its mean over the sample: a vector as far from `evenVectors` as known entities are costs 2 a link.
 * 40 steps of Adam.
 *
 * Shapes: → [d], from `evenVectors` without links. The same facts give the same vector.
 *
 * @throws FuzzError `runtime`: a graph fails.
 */
export async function foldIn(folding: FoldingContext, entity: number): Promise<Float32Array> {
  const { model, context, temperature, facts } = folding;
  const { entities: first, dimension: d } = model;
  const random = createRandom('folded in', `${entity}`);
  const own = linksWith(folding, entity, random);
  if (own.length === 0) return evenVectors(1, d, model.entityNormalisation);
  const links = [...own, ...linksWithout(folding, entity, random)];
  const directions = await linkDirections(folding, links);
  const sampled = sampleOf(first, mostSampled, random);
  const vectors = await anchorRows(context, sampled);
  const scales = vectors.map((vector) => scaleOf(model, vector));
  const normalisers = links.map(({ head, relation }, i) => {
    const answers = new Set(facts.tails(head, relation));
    const logits: number[] = [];
    for (const [at, vector] of vectors.entries())
      if (!answers.has(sampled[at]!))
        logits.push(temperature * scales[at]! * product(directions[i]!, vector));
    return logSum(logits) + Math.log(first / Math.max(logits.length, 1));
  });
  const centre = evenElement(d, model.entityNormalisation);
  const count = own.reduce((sum, { weight }) => sum + weight, 0);
  const known = vectors.reduce((sum, vector) => sum + cubesOf(vector, centre), 0) / vectors.length;
  const regularisation = (normWeight * count) / Math.max(known, 1e-9);
  return optimised({ folding, links, directions, normalisers, regularisation });
}

/** Links that the entity is a tail of: its facts, forwards and backwards. */
function linksWith({ facts, model }: FoldingContext, entity: number, random: Random): FoldedLink[] {
  const links: FoldedLink[] = [];
  for (const relation of facts.relationsOf(entity)) {
    if (relation >= model.relations) continue;
    // Vectors of other new entities are no ground.
    for (const head of facts.tails(entity, relation))
      if (head < model.entities) links.push({ head, relation: relation ^ 1, isTail: true, weight: 1 });
  }
  const some = drawn(links, most.links, random);
  return some.map((link) => ({ ...link, weight: links.length / some.length }));
}

/** Links that the entity is no tail of: of its own relations, and of all others. */
function linksWithout({ facts, model }: FoldingContext, entity: number, random: Random): FoldedLink[] {
  const own = [...facts.relationsOf(entity)].filter((each) => each < model.relations).map((each) => each ^ 1);
  const links: FoldedLink[] = [];
  const add = (relation: number, wanted: number): void => {
    const heads = facts.headsOf(relation);
    if (heads.length === 0) return;
    const count = Math.min(wanted, heads.length);
    for (let i = 0; i < count; i += 1) {
      const head = heads[random.below(heads.length)]!;
      if (head >= model.entities || facts.has(head, relation, entity)) continue;
      links.push({ head, relation, isTail: false, weight: heads.length / count });
    }
  };
  for (const relation of own) add(relation, Math.max(2, Math.floor(most.others / 2 / own.length)));
  const others = Array.from({ length: model.relations }, (_, relation) => relation).filter(
    (relation) => !own.includes(relation) && facts.headsOf(relation).length > 0,
  );
  const some = drawn(others, most.others / 4, random);
  const before = links.length;
  for (const relation of some) add(relation, 2);
  return links.map((link, i) =>
    i < before ? link : { ...link, weight: (link.weight * others.length) / some.length },
  );
}

/** A sample, in its order. */
function drawn<T>(all: readonly T[], count: number, random: Random): readonly T[] {
  if (all.length <= count) return all;
  const places = sampleOf(all.length, count, random);
  return Array.from(places, (place) => all[place]!);
}

/** Distinct numbers below `size`, ascending. */
function sampleOf(size: number, count: number, random: Random): Int32Array {
  if (size <= count) return Int32Array.from({ length: size }, (_, i) => i);
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(random.below(size));
  return Int32Array.from(chosen).sort();
}

function logSum(logits: readonly number[]): number {
  if (logits.length === 0) return 0;
  const top = Math.max(...logits);
  return top + Math.log(logits.reduce((sum, each) => sum + Math.exp(each - top), 0));
}

interface Problem {
  readonly folding: FoldingContext;
  readonly links: readonly FoldedLink[];
  readonly directions: readonly Float64Array[];
  readonly normalisers: readonly number[];
  /** What Σ |pair|³ is multiplied by. */
  readonly regularisation: number;
}

/** Adam on z, from `evenVectors`. */
function optimised({ folding, links, directions, normalisers, regularisation }: Problem): Float32Array {
  const { model, temperature } = folding;
  const d = model.dimension;
  const centre = evenElement(d, model.entityNormalisation);
  const isL1 = model.entityNormalisation === 'l1';
  const zeros = (): Float64Array => new Float64Array(d);
  const [z, p, slopes, momentum, squares] = [zeros(), zeros(), zeros(), zeros(), zeros()] as const;
  const place = (): number => {
    let norm = 0;
    for (let i = 0; i < d; i += 1) {
      p[i] = 1 / (1 + Math.exp(-z[i]!));
      norm += isL1 ? p[i]! : p[i]! ** 2;
    }
    if (!isL1) norm = Math.sqrt(norm);
    for (let i = 0; i < d; i += 1) p[i]! /= norm;
    return norm;
  };
  for (let step = 1; step <= steps; step += 1) {
    const norm = place();
    slopes.fill(0);
    const scale = scaleOf(model, p);
    for (const [i, { isTail, weight }] of links.entries()) {
      const direction = directions[i]!;
      const over = temperature * scale * product(direction, p) - normalisers[i]!;
      const sure = 1 / (1 + Math.exp(-over));
      const slope = weight * temperature * scale * (isTail ? sure - 1 : sure);
      if (Math.abs(slope) < 1e-9) continue;
      for (let j = 0; j < d; j += 1) slopes[j]! += slope * direction[j]!;
    }
    cubesOf(p, centre, regularisation, slopes);
    // Back through the norm and σ.
    const along = product(slopes, p);
    for (let j = 0; j < d; j += 1) {
      const inner = slopes[j]! - along * (isL1 ? 1 : p[j]!);
      const sigma = p[j]! * norm;
      const slope = (inner / norm) * sigma * (1 - sigma);
      momentum[j] = 0.9 * momentum[j]! + 0.1 * slope;
      squares[j] = 0.999 * squares[j]! + 0.001 * slope ** 2;
      const length = Math.sqrt(squares[j]! / (1 - 0.999 ** step)) + 1e-12;
      z[j]! -= (rate * momentum[j]!) / (1 - 0.9 ** step) / length;
    }
  }
  place();
  return Float32Array.from(p);
}

/** Σ |pair|³ of y = p / centre − 1, whose elements i and i + d/2 are a pair; adds the slopes of so many times the sum to `slopes`. */
function cubesOf(
  p: ArrayLike<number>,
  centre: number,
  weight = 0,
  slopes: Float64Array = new Float64Array(p.length),
): number {
  const half = Math.floor(p.length / 2);
  let sum = 0;
  for (let i = 0; i < half; i += 1) {
    const [a, b] = [p[i]! / centre - 1, p[i + half]! / centre - 1];
    const length = Math.hypot(a, b);
    sum += length ** 3;
    const factor = (3 * weight * length) / centre;
    slopes[i]! += factor * a;
    slopes[i + half]! += factor * b;
  }
  return sum;
}
