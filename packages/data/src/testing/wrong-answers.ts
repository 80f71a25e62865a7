import { queryRow, type SampledQueries } from '../index.ts';
import { bruteForceAnswers, type smallGraphs } from './small-graphs.ts';

/** The easy and hard answers of a query: as drawn, and as trying all assignments finds them. */
export interface WrongAnswers {
  readonly row: number;
  readonly drawn: readonly (readonly number[])[];
  readonly tried: readonly (readonly number[])[];
}

/** The queries whose answers differ from those of trying all assignments: easy by the known facts, hard by all facts alone. */
export function wrongAnswers(
  queries: SampledQueries<string>,
  { known, all }: Pick<ReturnType<typeof smallGraphs>, 'known' | 'all'>,
): readonly WrongAnswers[] {
  const { template } = queries.shape;
  return Array.from({ length: queries.count }, (_, row) => {
    const { anchors, relations, easy, hard } = queryRow(queries, row);
    const [of, ofKnown] = [all, known].map((facts) =>
      bruteForceAnswers(facts, template, anchors, relations).sort((a, b) => a - b),
    );
    const tried = [ofKnown!, of!.filter((id) => !ofKnown!.includes(id))];
    return { row, drawn: [[...easy], [...hard]], tried };
  }).filter(({ drawn, tried }) => JSON.stringify(drawn) !== JSON.stringify(tried));
}
