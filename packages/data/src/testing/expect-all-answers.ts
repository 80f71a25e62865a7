import { expect } from 'vitest';
import { queryRow, type SampledQueries } from '../index.ts';
import { bruteForceAnswers, type smallGraphs } from './small-graphs.ts';

/** Compares the easy and hard answers of queries with those of trying all assignments: easy by the known facts, hard by all facts alone. */
export function expectAllAnswers(
  queries: SampledQueries<string>,
  { known, all }: Pick<ReturnType<typeof smallGraphs>, 'known' | 'all'>,
): void {
  const { template } = queries.shape;
  for (let row = 0; row < queries.count; row += 1) {
    const { anchors, relations, easy, hard } = queryRow(queries, row);
    const [of, ofKnown] = [all, known].map((facts) =>
      bruteForceAnswers(facts, template, anchors, relations).sort((a, b) => a - b),
    );
    expect([...easy]).toEqual(ofKnown);
    expect([...hard]).toEqual(of!.filter((id) => !ofKnown!.includes(id)));
  }
}
