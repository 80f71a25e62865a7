import { answerModes } from '@fuzzqe/engine';
import type { ModeTally, ParityCell, ParityFailure, ParityMatrix, UndecidedSets } from '../matrix/matrix.ts';

/** How many failures of a cell are listed; all are in the JSON. */
const listed = 3;

/**
 * The matrix as lines: a row a runtime and profile, how alike profiles answer, what failed, what was skipped.
 *
 * Differences are relative to the largest number of the same vector. `ranks` is of answers by embeddings, `sets` of
 * those by fuzzy sets. The row `reference` is no runtime.
 *
 * @example
 * const matrix = await runParity({ bundle: 'bundles/mine', runtimes: ['node'], fresh: 4, trees: 30, seed: 1 });
 * for (const line of formatMatrix(matrix)) console.log(line);
 */
export function formatMatrix({ cells, reference, skipped, undecided }: ParityMatrix): string[] {
  const besides = cells.flatMap(({ runtime, profile, modes }) =>
    answerModes.flatMap((mode) => {
      const { beside } = modes[mode];
      return beside === null
        ? []
        : [[runtime, profile, mode, beside.overlap10.toFixed(3), beside.rbo.toFixed(3)]];
    }),
  );
  return [
    ...table([
      ['runtime', 'profile', '', 'embedding', 'score', 'degree', 'tolerance', 'ranks', 'sets'],
      ...[...reference, ...cells].map(rowOf),
    ]),
    ...(besides.length === 0
      ? []
      : ['', ...table([['runtime', 'beside fp32', 'mode', 'overlap@10', 'RBO'], ...besides])]),
    ...[...reference, ...cells].flatMap(describeFailures),
    ...undecided.flatMap(describeUndecided),
    ...skipped.map(({ runtime, reason }) => `skipped ${runtime}: ${reason}`),
  ];
}

function rowOf(cell: ParityCell): string[] {
  return [
    cell.runtime,
    cell.profile,
    cell.passed ? 'equal' : 'DIFFERENT',
    formatGap(cell.embedding.relative),
    formatGap(cell.score.relative),
    formatGap(cell.degree.relative),
    formatShare(cell),
    ...(['embedding', 'sets'] as const).map((mode) => formatTally(cell.modes[mode])),
  ];
}

const formatTally = ({ sameRanking, compared }: ModeTally): string => `${sameRanking}/${compared}`;

/** Says which queries were not compared as fuzzy sets. */
export function describeUndecided({ profile, count, queries }: UndecidedSets): string[] {
  if (count === 0) return [];
  return [
    `${profile}: ${count} of ${queries} queries are not compared in mode sets: members of a set have degrees too close to order, or the search of a pattern does not end within its budget`,
  ];
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

/** What was compared, in a sentence. */
export function summaryOf(cells: readonly ParityCell[]): string {
  const count = (of: 'runtime' | 'profile'): string => {
    const { size } = new Set(cells.map((cell) => cell[of]));
    return `${size} ${of}${size === 1 ? '' : 's'}`;
  };
  const answers = cells.reduce((sum, { compared }) => sum + compared, 0);
  const differ = cells.filter(({ passed }) => !passed).length;
  const verdict =
    differ === 0 ? 'all as in float64' : `${differ} of ${cells.length} rows differ from float64`;
  return `${count('runtime')}, ${count('profile')}, ${answers} answers: ${verdict}`;
}

/** A difference with as many digits as it deserves. */
export function formatGap(value: number): string {
  return value === 0 ? '0' : value.toExponential(1);
}

/** The largest share of the tolerances that is used. */
export function formatShare({
  embedding,
  score,
  degree,
}: Pick<ParityCell, 'embedding' | 'score' | 'degree'>): string {
  const share = 100 * Math.max(embedding.share, score.share, degree.share);
  return `${share < 10 ? share.toPrecision(2) : share < 1e4 ? Math.round(share) : share.toExponential(0)} %`;
}

function describeFailures({ runtime, profile, failures, diagnosis }: ParityCell): string[] {
  if (failures.length === 0) return [];
  const more = failures.length - listed;
  return [
    '',
    `${runtime}, ${profile}:`,
    ...diagnosis.map((line) => `  ${line}`),
    ...failures.slice(0, listed).flatMap((failure) => describeFailure(failure).map((line) => `  ${line}`)),
    ...(more > 0 ? [`  … and ${more} more; --json lists all`] : []),
  ];
}

/** What failed, and how to ask it again. */
export function describeFailure(failure: ParityFailure): string[] {
  const { kind, structure, by, anchors, relations, query, message } = failure;
  const what = structure === null ? kind : `${kind} ${structure}`;
  const slots =
    query === '' ? '' : `, anchors ${anchors.join(' ')}, relations ${relations.join(' ') || 'none'}`;
  return [`${what} by ${by}${slots}: ${message}`, ...(query === '' ? [] : [`  ${query}`])];
}
