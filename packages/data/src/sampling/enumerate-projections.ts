import { expectOptions, type KnowledgeGraph } from '@fuzzqe/core';
import { createQueriesBuilder, type SampledQueries } from '../queries/sampled-queries.ts';

/** Which 1p queries to list. */
export interface EnumerateOptions {
  /** As for `sampleQueries`: null lists training queries. */
  readonly smaller: KnowledgeGraph | null;
  readonly larger: KnowledgeGraph;
  /** The most answers that a training query may have, or the most hard ones of another. Default: any number. */
  readonly maxAnswers?: number;
}

/**
 * Lists every 1p query of a graph, in the order of anchors and then of relations, inverses included.
 *
 * With a smaller graph, those that have a hard answer: the published sets, too, hold every 1p query and only a sample
 * of the other structures.
 * Source: FuzzQE (AAAI 2022), appendix, table of query numbers.
 *
 * @example
 * const { trainValid, full } = dataset.graphs();
 * const every1p = enumerateProjections({ smaller: trainValid, larger: full });
 */
export function enumerateProjections(options: EnumerateOptions): SampledQueries<'1p'> {
  expectOptions('enumerateProjections', options, ['smaller', 'larger']);
  const { smaller, larger, maxAnswers = Number.POSITIVE_INFINITY } = options;
  const queries = createQueriesBuilder<'1p'>('1p');
  for (let anchor = 0; anchor < larger.entityCount; anchor++) {
    for (const relation of larger.relationsOf(anchor)) {
      const all = larger.tails(anchor, relation);
      const easy = smaller === null ? all : smaller.tails(anchor, relation);
      const known = new Set(easy);
      const hard = all.filter((entity) => !known.has(entity));
      if (smaller !== null && hard.length === 0) continue;
      if ((smaller === null ? easy : hard).length > maxAnswers) continue;
      queries.add({ anchors: [anchor], relations: [relation], easy, hard });
    }
  }
  return queries.build();
}
