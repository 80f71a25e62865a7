import { FuzzError } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import type { TrainedOn } from '@fuzzqe/train';

/** The tables of the paper that are reproduced. */
export const reproducedTables = ['laws', 'accuracy', 'links', 'times'] as const;
export type ReproducedTable = (typeof reproducedTables)[number];

/** How figures of a table are written: MRR as a fraction, whether a law was broken (1: it was not, 0: it was), milliseconds. */
export type FigureUnit = 'mrr' | 'law' | 'milliseconds';

/** A table of the paper, and what its figures need. */
export interface TableKind {
  /** The paper's own name of it. */
  readonly paper: string;
  readonly title: string;
  readonly trainedOn: TrainedOn;
  /** The seeds that are trained by default. */
  readonly seeds: readonly number[];
  readonly unit: FigureUnit;
  readonly columns: readonly string[];
}

const lawNumerals = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII'];

/** How many draws of queries each law is tried on. */
export const lawDraws = 48;

/** How answers are timed: `queries` of each structure after `warmUps`, or as many as end within `seconds`; each lists `listed` entities (appendix H). */
export const timing = { queries: 20, warmUps: 2, seconds: 20, listed: 64 } as const;

/** The tables by name. */
export const tableKinds: Readonly<Record<ReproducedTable, TableKind>> = {
  laws: {
    ...{ paper: 'Table 2', title: 'Laws of logic', trainedOn: 'links', seeds: [1] },
    ...{ unit: 'law', columns: lawNumerals },
  },
  accuracy: {
    ...{ paper: 'Table 3', title: 'Trained on all structures', trainedOn: 'all', seeds: [1, 2, 3] },
    ...{ unit: 'mrr', columns: structureNames },
  },
  links: {
    ...{ paper: 'Table 4', title: 'Trained on link prediction only', trainedOn: 'links', seeds: [1, 2, 3] },
    ...{ unit: 'mrr', columns: structureNames },
  },
  times: {
    ...{ paper: 'Appendix H', title: 'Time of an answer', trainedOn: 'links', seeds: [1] },
    ...{ unit: 'milliseconds', columns: structureNames },
  },
};

/**
 * The table that a name or the paper's number says: `links`, `4`.
 *
 * @throws FuzzError `usage`: no table has that name.
 */
export function tableNamed(text: string): ReproducedTable {
  const numbers: Readonly<Record<string, ReproducedTable>> = {
    2: 'laws',
    3: 'accuracy',
    4: 'links',
    H: 'times',
  };
  const found =
    reproducedTables.find((name) => name === text) ??
    (Object.hasOwn(numbers, text) ? numbers[text] : undefined);
  if (found !== undefined) return found;
  throw new FuzzError(
    'usage',
    `table: expected ${reproducedTables.join(', ')}, or 2, 3, 4, H, got ${JSON.stringify(text)}`,
    {
      path: 'table',
      hint: 'laws is Table 2 of the paper, accuracy Table 3, links Table 4, times appendix H.',
    },
  );
}
