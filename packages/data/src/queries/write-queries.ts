import { instantiate, queryToBetaE } from '@fuzzqe/core/query';
import { queryRow, type SampledQueries } from './sampled-queries.ts';
import { formatStructure } from './structure-text.ts';

/**
 * Writes queries as JSON Lines, a line a query: `{"type":"2in","query":[[7,[0]],[9,[3,-2]]],"easy":[…],"hard":[…]}`.
 *
 * The query is a nested tuple as in KGReasoning: -1 is union and -2 negation. The type of an own structure is its text,
 * so that the file says all there is to know. Without easy answers (`easy: false`) a reader computes them. Gives the lines
 * one by one, each with its line end, so that millions of queries can be written without a copy in memory.
 */
export function* queriesToJsonLines(
  queries: readonly SampledQueries<string>[],
  { easy: withEasy = true }: { readonly easy?: boolean } = {},
): Generator<string> {
  for (const part of queries) {
    const { template } = part.shape;
    const type = formatStructure(part.shape);
    for (let row = 0; row < part.count; row++) {
      const { anchors, relations, easy, hard } = queryRow(part, row);
      yield `${JSON.stringify({
        type,
        query: queryToBetaE(instantiate(template, anchors, relations)),
        ...(withEasy ? { easy: Array.from(easy) } : {}),
        hard: Array.from(hard),
      })}\n`;
    }
  }
}
