import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { topK } from '@fuzzqe/core/ranking';
import type { RuleIndex } from '../rules/rule-index.ts';
import { type RangeOptions, rangeTable } from '../schema/ranges.ts';
import { mayBeReflexive } from '../schema/self-loops.ts';
import type { DrawnLink } from './draw-links.ts';
import {
  featureAt,
  featureCount,
  headFeatures,
  neighboursFeature,
  ruleFeature,
  scale,
  shareBaseOf,
  tailFeatures,
} from './features.ts';
import type { LinkScores } from './link-degrees.ts';
import { shareNormaliser } from './link-degrees.ts';
import { namedTails } from './link-evidence.ts';

/** The candidates of drawn links, with everything that their features follow from at any temperature. */
export interface CandidateSample {
  readonly links: readonly DrawnLink[];
  /** By candidates: the number of its link, and the entity. Shapes: [n] each. */
  readonly linkOf: Int32Array;
  readonly entities: Int32Array;
  /** 1 where the fact is hidden. */
  readonly found: Uint8Array;
  /** x of each, its share without the temperature's part [n × 12]. */
  readonly features: Float64Array;
  /** s(e) of each [n]; zeros without a model. */
  readonly scores: Float32Array;
  /** L_hr of each link at each of the temperatures [links × temperatures]. */
  readonly normalisers: Float64Array;
  readonly temperatures: readonly number[];
}

/** What candidates are taken from. */
export interface SampleOptions extends RangeOptions {
  readonly facts: KnowledgeGraph;
  /** The facts that declared axioms entail: they are no candidates. Default: none. */
  readonly entailed?: Pick<KnowledgeGraph, 'tails'> | undefined;
  readonly rules: RuleIndex;
  /** Undefined without a model. */
  readonly scores: LinkScores | undefined;
  readonly links: readonly DrawnLink[];
  readonly temperatures: readonly number[];
  /** How many of the highest scores of a link are candidates, next to the tails that rules and similar heads name. */
  readonly best?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** How many links are scored at once: so many numbers of all entities. */
const numbersAtOnce = 2 ** 22;
const usualBest = 30;
/** How many of the entities that rules or similar heads name are candidates, the best first. */
const mostNamed = 60;

/**
 * The candidates of links: the entities of the highest scores and the tails that facts name, without recorded and entailed tails and without a head
 * where no self loop is recorded. A link with rejected tails has these tails alone.
 *
 * @throws FuzzError `interrupted`: the signal was raised.
 */
export async function sampleCandidates(options: SampleOptions): Promise<CandidateSample> {
  const { facts, links, temperatures, scores, best = usualBest, onProgress, signal } = options;
  const { entityCount } = facts;
  const normalisers = new Float64Array(links.length * temperatures.length);
  const parts: Part[] = new Array(links.length);
  const atOnce = Math.max(1, Math.min(64, Math.floor(numbersAtOnce / entityCount)));
  // Ranges of few relations are kept.
  const order = [...links.keys()].sort((a, b) => links[a]!.relation - links[b]!.relation);
  for (let start = 0; start < links.length; start += atOnce) {
    if (signal?.aborted) throw new FuzzError('interrupted', 'candidates of links: stopped');
    const places = order.slice(start, start + atOnce);
    const some = places.map((place) => links[place]!);
    const rows =
      scores === undefined
        ? undefined
        : await scores(
            Int32Array.from(some, ({ head }) => head),
            Int32Array.from(some, ({ relation }) => relation),
          );
    some.forEach((link, i) => {
      const row = rows?.subarray(i * entityCount, (i + 1) * entityCount);
      const place = places[i]!;
      parts[place] = candidatesOf(options, link, place, row, best, normalisers);
    });
    onProgress?.(Math.min(links.length, start + atOnce), links.length);
  }
  return joinParts(parts, links, normalisers, temperatures);
}

interface Part {
  readonly link: number;
  readonly entities: Int32Array;
  readonly found: Uint8Array;
  readonly features: Float64Array;
  readonly scores: Float32Array;
}

function candidatesOf(
  { facts, entailed, rules, temperatures, ...schema }: SampleOptions,
  { head, relation, hidden, rejected }: DrawnLink,
  link: number,
  row: Float32Array | undefined,
  best: number,
  normalisers: Float64Array,
): Part {
  const { shareBase, range, inverseFunctional, frequency } = tailFeatures(facts, relation, schema);
  const ranges = rangeTable(facts, relation, schema);
  const base = { codes: ranges.codes, shareBase: Float64Array.from(ranges.values, shareBaseOf) };
  const recorded = facts.tails(head, relation);
  const closed = mayBeReflexive(facts, relation) ? recorded : Int32Array.of(head, ...recorded);
  if (row !== undefined)
    temperatures.forEach((temperature, t) => {
      normalisers[link * temperatures.length + t] = shareNormaliser(row, temperature, base, closed);
    });
  const named = namedTails(facts, rules, head, relation);
  const known = new Set([...closed, ...(entailed?.tails(head, relation) ?? [])]);
  const entities =
    rejected?.filter((id) => !known.has(id)) ??
    chosen(known, named, row, { shareBase, frequency, range }, best);
  const ofHead = headFeatures(facts, head, relation, schema);
  const features = new Float64Array(entities.length * featureCount);
  const scores = new Float32Array(entities.length);
  const found = new Uint8Array(entities.length);
  const placeOf = new Map(Array.from(named.ids, (id, i) => [id, i] as const));
  entities.forEach((id, i) => {
    const x = features.subarray(i * featureCount, (i + 1) * featureCount);
    x[featureAt.constant] = 1;
    x[featureAt.tails] = ofHead.tails;
    x[featureAt.functional] = ofHead.functional;
    x[featureAt.domain] = ofHead.domain;
    x[featureAt.range] = range[id]!;
    x[featureAt.inverseFunctional] = inverseFunctional[id]!;
    x[featureAt.frequency] = frequency[id]!;
    if (row !== undefined) {
      scores[i] = row[id]!;
      x[featureAt.share] = shareBase[id]! / scale;
    }
    const place = placeOf.get(id);
    if (place !== undefined) {
      x[featureAt.neighbours] = neighboursFeature(named.votes[place]!);
      if (named.bestRule[place]! > 0) {
        x[featureAt.bestRule] = ruleFeature(named.bestRule[place]!);
        x[featureAt.joinedRules] = ruleFeature(named.joinedRules[place]!);
        x[featureAt.hasRule] = 1;
      }
    }
    found[i] = hidden.has(id) ? 1 : 0;
  });
  return { link, entities, found, features, scores };
}

/** The candidates of a link, ascending. */
function chosen(
  forbidden: ReadonlySet<number>,
  named: ReturnType<typeof namedTails>,
  row: Float32Array | undefined,
  { shareBase, frequency, range }: Record<'shareBase' | 'frequency' | 'range', Float32Array>,
  best: number,
): Int32Array {
  const ids = new Set<number>();
  const add = (values: Float32Array, count: number): void => {
    for (const id of forbidden) values[id] = Number.NEGATIVE_INFINITY;
    for (const id of topK(values, Math.min(count, values.length)).ids)
      if (values[id]! > Number.NEGATIVE_INFINITY) ids.add(id);
  };
  if (row === undefined)
    add(
      frequency.map((value, id) => value + range[id]!),
      best,
    );
  else {
    const spread = Math.max(deviation(row), 1e-6);
    add(
      row.map((value, id) => (4 * value) / spread + shareBase[id]!),
      best,
    );
    add(row.slice(), Math.ceil(best / 4));
  }
  const strength = Float32Array.from(named.ids, (_, i) => Math.max(named.joinedRules[i]!, named.votes[i]!));
  const kept = strength.length === 0 ? [] : topK(strength, Math.min(mostNamed, strength.length)).ids;
  for (const place of kept) {
    const id = named.ids[place]!;
    if (!forbidden.has(id)) ids.add(id);
  }
  return Int32Array.from(ids).sort();
}

function deviation(values: Float32Array): number {
  let [sum, squares] = [0, 0];
  for (const value of values) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / values.length;
  return Math.sqrt(Math.max(0, squares / values.length - mean * mean));
}

function joinParts(
  parts: readonly Part[],
  links: readonly DrawnLink[],
  normalisers: Float64Array,
  temperatures: readonly number[],
): CandidateSample {
  const count = parts.reduce((sum, { entities }) => sum + entities.length, 0);
  const sample = {
    links,
    linkOf: new Int32Array(count),
    entities: new Int32Array(count),
    found: new Uint8Array(count),
    features: new Float64Array(count * featureCount),
    scores: new Float32Array(count),
    normalisers,
    temperatures,
  };
  let at = 0;
  for (const part of parts) {
    sample.linkOf.fill(part.link, at, at + part.entities.length);
    sample.entities.set(part.entities, at);
    sample.found.set(part.found, at);
    sample.features.set(part.features, at * featureCount);
    sample.scores.set(part.scores, at);
    at += part.entities.length;
  }
  return sample;
}
