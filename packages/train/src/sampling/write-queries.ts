import { instantiate, queryToBetaE, structures } from '@fuzzqe/core';
import { queryRow, type SampledQueries } from './sampled-queries.ts';

/**
 * Writes queries as JSON Lines, a line a query: `{"type":"2in","query":[[7,[0]],[9,[3,-2]]],"easy":[…],"hard":[…]}`.
 *
 * The query is a nested tuple as in KGReasoning: -1 is union and -2 negation. Gives the lines one by one, each with its
 * line end, so that millions of queries can be written without a copy in memory.
 */
export function* queriesToJsonLines(queries: readonly SampledQueries[]): Generator<string> {
  for (const part of queries) {
    const { template } = structures[part.structure];
    for (let row = 0; row < part.count; row++) {
      const { anchors, relations, easy, hard } = queryRow(part, row);
      yield `${JSON.stringify({
        type: part.structure,
        query: queryToBetaE(instantiate(template, anchors, relations)),
        easy: Array.from(easy),
        hard: Array.from(hard),
      })}\n`;
    }
  }
}
