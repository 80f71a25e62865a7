import { expectOptions, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import { createAnswerer, type StructureName } from '@fuzzqe/core/query';
import { structureOf } from '../queries/query-structure.ts';
import { createQueriesBuilder, queryRow, type SampledQueries } from '../queries/sampled-queries.ts';
import { difference } from './draw-block.ts';
import { canonicalName, canonicalRelations } from './rules.ts';
import type { BalancedOptions } from './sample-balanced.ts';
import { sampleQueries } from './sample-queries.ts';

/**
 * Samples distinct queries without a look at the facts that the smaller graph lacks: degrees can be held against the true frequency of answers.
 *
 * Queries are drawn on the smaller graph as training queries are, so each has an answer there, and at most `maxAnswers`. In every second query
 * each anchor is then replaced, with probability 1/2, by another head of a relation that the anchor has. Such a query may have no answer.
 * The larger graph then says which answers are hard. Many queries have none.
 *
 * @throws FuzzError: what `sampleQueries` throws.
 * @example
 * const { trainValid, full } = dataset.graphs();
 * const sampled = await sampleUnselected({ structure: '2i', count: 300, smaller: trainValid, larger: full, random });
 */
export async function sampleUnselected<Name extends string = StructureName>(
  options: BalancedOptions<Name>,
): Promise<SampledQueries<Name>> {
  expectOptions('sampleUnselected', options, ['structure', 'smaller', 'larger', 'random']);
  const { smaller, larger, random, ...drawing } = options;
  const structure = structureOf(options.structure);
  const walked = await sampleQueries<Name>({
    ...{ ...drawing, smaller: null, larger: smaller },
    random: random.fork('walk'),
  });
  const ofKind = random.fork('anchors');
  const canonical = canonicalRelations(smaller, {});
  const [all, known] = [createAnswerer(larger), createAnswerer(smaller)];
  const queries = createQueriesBuilder(structure);
  const names = new Set<string>();
  for (let row = 0; row < walked.count; row += 1) {
    const { anchors: drawn, relations } = queryRow(walked, row);
    const anchors = drawn.map((anchor) =>
      row % 2 === 1 && ofKind.below(2) === 1 ? entityLike(smaller, anchor, ofKind) : anchor,
    );
    const name = canonicalName(structure.template, anchors, relations, canonical);
    if (name === undefined || names.has(name)) continue;
    names.add(name);
    const found = all.find(structure.template, anchors, relations);
    const easy = known.find(structure.template, anchors, relations);
    queries.add({ anchors, relations, easy: easy.set.toArray(), hard: difference(found, easy) });
  }
  return queries.build();
}

/** An entity that has a relation of this entity. */
function entityLike(graph: KnowledgeGraph, entity: number, random: Random): number {
  const { headOffsets, groupRelations } = graph.index;
  const first = headOffsets[entity]!;
  const heads = graph.headsOf(groupRelations[first + random.below(headOffsets[entity + 1]! - first)]!);
  return heads[random.below(heads.length)]!;
}
