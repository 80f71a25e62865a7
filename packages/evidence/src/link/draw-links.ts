import { inverseOf, type KnowledgeGraph, type Random, type RelationId } from '@fuzzqe/core';
import { type RangeOptions, rangeTable } from '../schema/ranges.ts';

/** A link (h, r) that weights are fitted or judged on. */
export interface DrawnLink {
  readonly head: number;
  readonly relation: number;
  /** The tails whose facts are hidden; a plausible link mostly has none. */
  readonly hidden: ReadonlySet<number>;
  /** How many links of the graph this one stands for. */
  readonly weight: number;
  /** Tails that somebody rejected: they are then the only candidates, and certainly false. */
  readonly rejected?: Int32Array;
}

/** Which links are drawn. */
export interface DrawOptions extends RangeOptions {
  /** The facts that are recorded. */
  readonly facts: KnowledgeGraph;
  /** Facts that are hidden from the graph: flat h, r, t. */
  readonly hidden: Int32Array;
  /** Links that somebody rejected: flat h, r, t. Default: none. */
  readonly rejected?: Int32Array | undefined;
  readonly random: Random;
  /** How many links with a hidden fact are drawn at most, and how many without; as many as without have rejected tails at most. */
  readonly withFact: number;
  readonly without: number;
  /** The relations whose links are drawn. Default: all. */
  readonly relations?: readonly number[];
  /** Whether links without are drawn from all plausible links, those with a hidden fact included. Default false. */
  readonly mixed?: boolean;
}

/** From which ρ_{r⁻¹}(h) on a link is plausible. */
export const leastDomain = 0.05;

/**
 * Draws from all plausible links of a graph, links with a hidden fact and links without apart.
 *
 * A link (h, r) is plausible where h may be a head of r: `ρ_{r⁻¹}(h) > 0.05`. Links with a hidden fact are few, so the draw takes more of them,
 * and each says how many it stands for. Fitted on links with a hidden fact alone, a probability would presume that something is missing.
 * Links with rejected tails come last, apart from the others.
 */
export function drawLinks(options: DrawOptions): DrawnLink[] {
  const { facts, hidden, rejected = new Int32Array(), random, withFact, without } = options;
  const tails = openTails(facts, hidden);
  const links = inOrder(tails);
  const judged = inOrder(openTails(facts, rejected));
  const someJudged = take(judged, without, random.fork('rejected'));
  const some = take(links, withFact, random.fork('with'));
  const mixed = options.mixed === true;
  const others = plausibleLinks(options, mixed ? [] : links, without, random.fork('without'));
  return [
    ...some.map(({ head, relation, open }) => ({
      ...{ head, relation, hidden: open },
      weight: links.length / some.length,
    })),
    ...others.links.map((link) => ({
      ...link,
      hidden: tails.get(link.head * facts.relationCount + link.relation)?.open ?? new Set<number>(),
      weight: others.count / others.links.length,
    })),
    ...someJudged.map(({ head, relation, open }) => ({
      ...{ head, relation, hidden: new Set<number>() },
      weight: judged.length / someJudged.length,
      rejected: Int32Array.from(open).sort(),
    })),
  ];
}

interface OpenLink extends Pick<DrawnLink, 'head' | 'relation'> {
  readonly open: Set<number>;
}

const inOrder = (links: ReadonlyMap<number, OpenLink>): OpenLink[] =>
  [...links.values()].sort((a, b) => a.relation - b.relation || a.head - b.head);

/** The links of triples that are not recorded, both directions of each, by a key of head and relation. */
function openTails(facts: KnowledgeGraph, triples: Int32Array): Map<number, OpenLink> {
  const links = new Map<number, OpenLink>();
  const add = (head: number, relation: number, tail: number): void => {
    if (facts.has(head, relation, tail)) return;
    const key = head * facts.relationCount + relation;
    const link = links.get(key) ?? { head, relation, open: new Set<number>() };
    link.open.add(tail);
    links.set(key, link);
  };
  for (let i = 0; i < triples.length; i += 3) {
    const [head, relation, tail] = [triples[i]!, triples[i + 1]!, triples[i + 2]!];
    add(head, relation, tail);
    add(tail, inverseOf(relation as RelationId), head); // a relation of the graph
  }
  return links;
}

/** Draws from the plausible links without a hidden fact, and counts all of them. Time: |R| · (|E| + hidden links). */
function plausibleLinks(
  { facts, relations = Array.from({ length: facts.relationCount }, (_, id) => id), ...schema }: DrawOptions,
  hidden: readonly OpenLink[],
  most: number,
  random: Random,
): { readonly count: number; readonly links: readonly Pick<DrawnLink, 'head' | 'relation'>[] } {
  const { entityCount } = facts;
  const kept: { head: number; relation: number }[] = [];
  // A mark of each entity is far quicker to read than a map of links.
  const isHidden = new Uint8Array(entityCount);
  let count = 0;
  for (const relation of relations) {
    const { codes, values } = rangeTable(facts, inverseOf(relation as RelationId), schema); // a relation of the graph
    isHidden.fill(0);
    for (const link of hidden) if (link.relation === relation) isHidden[link.head] = 1;
    for (let head = 0; head < entityCount; head += 1) {
      if (values[codes[head]!]! <= leastDomain || isHidden[head]) continue;
      count += 1;
      // A reservoir: each link is kept with the same probability, however many come.
      if (kept.length < most) kept.push({ head, relation });
      else {
        const place = random.below(count);
        if (place < most) kept[place] = { head, relation };
      }
    }
  }
  return { count, links: kept };
}

function take<T>(all: T[], most: number, random: Random): T[] {
  const count = Math.min(most, all.length);
  for (let i = 0; i < count; i += 1) {
    const other = i + random.below(all.length - i);
    [all[i], all[other]] = [all[other]!, all[i]!];
  }
  return all.slice(0, count);
}
