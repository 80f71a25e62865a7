import type { AnswerMode } from '../evaluation/candidate-model.ts';
import type { SavedEvaluation } from '../evaluation/saved-evaluations.ts';

/** A figure on test queries before and after a refresh, as fractions. */
export interface FigureChange {
  /** As `MRR, queries without negation`. */
  readonly metric: string;
  readonly mode: AnswerMode;
  readonly queriesBefore: number | undefined;
  readonly queries: number;
  /** Undefined if the run before was not evaluated. */
  readonly before: number | undefined;
  readonly after: number;
}

type Evaluations = Readonly<Record<string, SavedEvaluation>>;

/** A fall of more than this is worth a warning. */
export const noticeableFall = 0.003;

/** The figures on the test queries of data sets, before and after; figures of other sets of queries are left out. */
export function figureChanges(before: Evaluations, after: Evaluations): FigureChange[] {
  return Object.values(after).flatMap((found) => {
    const { mode } = found;
    if (!isOwnTest(found)) return [];
    const was = Object.values(before).find((each) => isOwnTest(each) && each.mode === mode);
    const earlier = was === undefined ? new Map<string, number>() : figuresOf(was);
    return [...figuresOf(found)].map(([metric, value]) => ({
      ...{ metric, mode, after: value, before: earlier.get(metric) },
      ...{ queries: found.queries.count, queriesBefore: was?.queries.count },
    }));
  });
}

function isOwnTest({ split, queries }: SavedEvaluation): boolean {
  return split === 'test' && queries.file === 'test.jsonl';
}

/** Means over structures, whose names say over how many structures, and the figures of links. */
function figuresOf({ averages, structures }: SavedEvaluation): Map<string, number> {
  const { '1p': links } = structures;
  return new Map([
    ...Object.entries(averages).flatMap(([title, { mrr, hits10 }]) => [
      [`MRR, ${title}`, mrr] as const,
      [`H@10, ${title}`, hits10] as const,
    ]),
    ...(links === undefined ? [] : [['MRR, 1p', links.mrr] as const, ['H@10, 1p', links.hits10] as const]),
  ]);
}
