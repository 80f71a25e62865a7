import { setImmediate } from 'node:timers/promises';
import { createKnowledgeGraph, expectOptions, FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { createAnswerer, type StructureName, type Template } from '@fuzzqe/core/query';
import { createLinkCounter } from '../queries/missing-links.ts';
import { type QueryStructure, structureOf } from '../queries/query-structure.ts';
import { createQueriesBuilder, type SampledQueries } from '../queries/sampled-queries.ts';
import { createIntList } from '../triples/int-list.ts';
import { createBackwardWalk } from './backward-walk.ts';
import { connectedEntities, difference } from './draw-block.ts';
import { canonicalName, canonicalRelations, withoutEachNegation } from './rules.ts';
import type { SampleOptions } from './sample-queries.ts';

/** Which queries to sample. */
export type BalancedOptions<Name extends string = StructureName> = Omit<
  SampleOptions<Name>,
  'smaller' | 'rules' | 'pool'
> & {
  /** What is known. */
  readonly smaller: KnowledgeGraph;
};

const drawsAtOnce = 256;
/** Some tens of seconds of draws that gave nothing. */
const mostIdleEdges = 1e9;

/**
 * Samples distinct queries of one structure, as many for each number of missing links.
 *
 * With n links outside of negations on the longest way, one n-th of the queries has an answer with n missing links, one n-th an answer with
 * n − 1, and so on, as `createLinkCounter` counts them. Walks take as many facts that the smaller graph lacks. A query is kept if
 *  1. no two operands ask the same, and none negates another;
 *  2. it has an answer with exactly so many missing links, and at most `maxAnswers` hard answers;
 *  3. each negation changes its answers;
 *  4. it is new, the order of operands aside.
 *
 * All hard answers are listed: what filters a ranking is complete. A number for which `patience` runs out has fewer queries, and no other number has more for it.
 * The result depends on the graphs, the options and the seed alone.
 *
 * Source: the balance of *Is Complex Query Answering Really Complex?* (ICML 2025), section 5.
 *
 * @throws FuzzError `range`: a number that is no positive integer. `data`: the smaller graph lacks no fact. `interrupted`: the signal was raised.
 * @example
 * const { trainValid, full } = dataset.graphs();
 * const random = createRandom('my run');
 * const sampled = await sampleBalanced({ structure: '3p', count: 300, smaller: trainValid, larger: full, random });
 */
export async function sampleBalanced<Name extends string = StructureName>(
  options: BalancedOptions<Name>,
): Promise<SampledQueries<Name>> {
  expectOptions('sampleBalanced', options, ['structure', 'smaller', 'larger', 'random']);
  const { count, larger, smaller, random, maxAnswers = 100, patience = 20_000, onProgress, signal } = options;
  for (const [name, value] of Object.entries({ count, maxAnswers, patience }))
    if (!Number.isInteger(value) || value < 1)
      throw new FuzzError('range', `${name}: expected an integer >= 1, got ${value}`, { path: name });
  const structure = structureOf(options.structure);
  const queries = createQueriesBuilder(structure);
  const most = mostMissing(structure.template);
  const draw = createDraws(structure, { smaller, larger, random, maxAnswers });
  // The hardest first: what has an answer with many missing links mostly has others with fewer.
  for (let missing = most; missing >= 1; missing -= 1) {
    const wanted = queries.count + shareOf(count, most, most - missing);
    const before = draw.edges();
    for (let idle = 0; queries.count < wanted && idle < patience; idle += 1) {
      if (idle % drawsAtOnce === 0) {
        onProgress?.(queries.count, count);
        await setImmediate();
        if (signal?.aborted)
          throw new FuzzError(
            'interrupted',
            `sampling ${structure.name}: stopped at ${queries.count} of ${count} queries`,
          );
        if (draw.edges() - before > mostIdleEdges) break;
      }
      const query = draw.one(missing);
      if (query === undefined) continue;
      queries.add(query);
      idle = -1;
    }
  }
  onProgress?.(queries.count, count);
  return queries.build();
}

/** How many of a count the group of a place has, where groups are as equal as they can be. */
const shareOf = (count: number, groups: number, place: number): number =>
  Math.floor((count * (place + 1)) / groups) - Math.floor((count * place) / groups);

/** How many links an answer to a structure can lack: of a conjunction the sum, of a disjunction the most of one operand. */
export function mostMissing(template: Template): number {
  switch (template.op) {
    case 'entity':
    case 'not':
      return 0;
    case 'project':
      return 1 + mostMissing(template.from);
    case 'and':
      return template.operands.reduce((sum, operand) => sum + mostMissing(operand), 0);
    case 'or':
      return Math.max(...template.operands.map(mostMissing));
  }
}

/** The relation slots outside of negations. */
function positiveSlots(template: Template): number[] {
  if (template.op === 'project') return [...positiveSlots(template.from), template.relation];
  return 'operands' in template ? template.operands.flatMap(positiveSlots) : [];
}

type Drawing = Pick<BalancedOptions<string>, 'smaller' | 'larger' | 'random'> & {
  readonly maxAnswers: number;
};

/** Draws queries one by one; undefined for a draw that gives no new query of the number. */
function createDraws(structure: QueryStructure, { smaller, larger, random, maxAnswers }: Drawing) {
  const { template } = structure;
  const canonical = canonicalRelations(larger, {});
  const walk = createBackwardWalk(larger, structure, canonical, random, lackedFacts(smaller, larger));
  const { anchors, relations } = walk;
  const targets = connectedEntities(larger);
  const slots = positiveSlots(template);
  const [all, known] = [createAnswerer(larger), createAnswerer(smaller)];
  const counter = createLinkCounter(smaller, larger);
  const withoutOne = withoutEachNegation(template);
  const names = new Set<string>();
  /** As many slots as links are to be missing, or more: a disjunction may lack a link of each operand. */
  const drawSlots = (missing: number): Uint8Array => {
    const through = new Uint8Array(structure.relations);
    let left = missing + random.below(slots.length - missing + 1);
    for (const [i, slot] of slots.entries()) {
      if (random.below(slots.length - i) >= left) continue;
      through[slot] = 1;
      left -= 1;
    }
    return through;
  };
  return {
    edges: () => all.edges + known.edges,
    one(missing: number) {
      if (!walk.from(targets[random.below(targets.length)]!, drawSlots(missing))) return undefined;
      const name = canonicalName(template, anchors, relations, canonical);
      if (name === undefined || names.has(name)) return undefined;
      const found = all.find(template, anchors, relations);
      const { size } = found;
      const easy = known.find(template, anchors, relations);
      const hard = difference(found, easy);
      if (hard.length === 0 || hard.length > maxAnswers) return undefined;
      const query = { anchors, relations, easy: easy.set.toArray(), hard };
      const alone = createQueriesBuilder(structure);
      alone.add(query);
      if (!counter.count(alone.build()).includes(missing)) return undefined;
      // This overwrites `found`.
      if (withoutOne.some((other) => all.find(other, anchors, relations).size === size)) return undefined;
      names.add(name);
      return query;
    },
  };
}

/** The facts of the larger graph that the smaller graph lacks. */
function lackedFacts(smaller: KnowledgeGraph, larger: KnowledgeGraph): KnowledgeGraph {
  const { entityCount, relationCount } = larger;
  const facts = larger.forwardTriples();
  const lacked = createIntList();
  for (let i = 0; i < facts.length; i += 3)
    if (!smaller.has(facts[i]!, facts[i + 1]!, facts[i + 2]!))
      for (let part = 0; part < 3; part += 1) lacked.push(facts[i + part]!);
  if (lacked.length === 0)
    throw new FuzzError('data', 'no queries with missing links can be sampled: no facts are held out', {
      hint: 'Import the graph with --hold-out 0.1.',
    });
  return createKnowledgeGraph({ entityCount, relationCount, triples: lacked.values() });
}
