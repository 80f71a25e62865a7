import type { DegreesReport, DegreesReports } from '@fuzzqe/pipeline';
import { enoughAnswers, fewSign, isFew } from './few-answers.ts';
import { formatReliability } from './format-calibration.ts';
import { formatTable, percent, type TableForm } from './table.ts';

/** How the degrees of a model compare with what held-out facts confirm: a row for each structure, and below a row for each tenth. */
export function formatDegrees(
  name: string,
  { structures, all }: DegreesReports,
  form: TableForm,
  width: number,
): string[] {
  const rows = Object.entries(structures);
  const hasFew = rows.some(([, { count }]) => isFew(count));
  const table = formatTable(
    {
      groups: [
        { title: 'candidates', columns: 4 },
        { title: 'wrong by', columns: 3 },
      ],
      head: ['n', 'said', 'true', 'untold', 'ECE', 'Brier', 'share'],
      blocks: [rows.map(([structure, report]) => row(structure, report)), [row('all', all)]],
    },
    form,
    width,
  );
  return [
    `${name}: degrees of unrecorded answers, on queries that no held-out fact has selected`,
    '',
    table,
    '',
    'n: entities of degree 1 % or more that are not recorded. said: their mean degree. true: the share that held-out facts confirm.',
    'untold: the share of missing answers below 1 %. Brier: the mean squared error; share: that of one degree for all, the share.',
    ...(hasFew ? [`${fewSign} fewer than ${enoughAnswers} candidates: chance decides such a row.`] : []),
    '',
    ...formatReliability('All structures', all, width),
  ];
}

function row(name: string, report: DegreesReport): string[] {
  const { count, found, ece, brier, brierOfShare, untold, bins } = report;
  const said = bins.reduce((sum, bin) => sum + bin.count * bin.stated, 0) / Math.max(1, count);
  const missing = found + untold;
  const figures = count === 0 ? [undefined, undefined] : [said, found / count];
  return [
    isFew(count) ? `${name}${fewSign}` : name,
    `${count}`,
    ...[...figures, missing === 0 ? undefined : untold / missing].map(percent),
    ...(count === 0 ? [undefined, undefined, undefined] : [ece, brier, brierOfShare]).map(percent),
  ];
}
