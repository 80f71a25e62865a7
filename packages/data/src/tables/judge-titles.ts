import { FuzzError } from '@fuzzqe/core';
import { kindOfCell, type TableSurvey } from './survey-table.ts';
import type { SurveyedTable } from './table-options.ts';
import { type HeaderOption, listOf } from './table-plan.ts';

/**
 * Whether the first line of a table is one of titles.
 *
 * Titles that cannot be names must not occur again as a relation, nor two of them at all. Titles that can be names must not
 * occur again, and every file of the data set must have them.
 */
export function judgeTitles(
  table: SurveyedTable,
  all: readonly SurveyedTable[],
  header: HeaderOption,
): boolean {
  if (table.delimiter.isTitled) return true;
  if (header !== 'auto') return header === 'yes';
  const { titled, survey } = table;
  if (titled === undefined) return false;
  const { again, records } = survey;
  const { certain, relation } = titled;
  if (certain) return again.length < 2 && (relation === undefined || !again.includes(relation));
  const titles = String(survey.rows[0]);
  // Two titles without one for the relation are no order: the table is refused.
  return records > 0 && again.length === 0 && all.every((other) => String(other.survey.rows[0]) === titles);
}

/**
 * Whether a first line without known titles looks like titles: `surely` where a column of numbers, dates or booleans has a
 * name there, `maybe` where none of its names occurs again and relations do.
 */
export function looksLikeTitles({ survey }: SurveyedTable): 'surely' | 'maybe' | undefined {
  const { again, columns, records, rows } = survey;
  const [first = []] = rows;
  if (records === 0 || first.length < 3 || again.length > 0) return undefined;
  const isTyped = columns.some(
    ({ kind, filled }, i) =>
      kind !== undefined && filled > 0 && first[i]!.trim() !== '' && kindOfCell(first[i]!) === undefined,
  );
  if (isTyped && (records > 1 || first.length > 3)) return 'surely';
  const repeats = columns.slice(0, 3).some(({ filled, distinct }) => distinct < filled);
  return records > 1 && repeats ? 'maybe' : undefined;
}

/** The column that holds the relations, as it seems, where it is not the second; undefined where nothing shows it. */
export function misplacedRelation({ columns, records, rows }: TableSurvey): number | undefined {
  if (rows[0]?.length !== 3 || records < 10) return undefined;
  const [first, second, third] = columns;
  if (second === undefined || 2 * second.distinct < second.filled) return undefined;
  const fewest = [first!, third!].map(({ distinct }) => distinct);
  const at = fewest[0]! < fewest[1]! ? 0 : 2;
  return 10 * Math.min(...fewest) < second.distinct ? at : undefined;
}

/** The error for a table whose columns nobody has said, with what to type. */
export function refuseUnmapped({ path, survey, titled }: SurveyedTable): FuzzError {
  const [first = []] = survey.rows;
  const known = misplacedRelation(survey) ?? (first.length === 3 && titled === undefined ? 1 : undefined);
  const [head = 0, tail = 1] =
    titled === undefined ? [0, 1, 2].filter((column) => column !== known) : [titled.head, titled.tail];
  const name = (column: number): string =>
    /[,"']/.test(first[column]!) ? String(column + 1) : first[column]!.trim();
  return new FuzzError(
    'usage',
    `columns: expected to know which one holds heads, relations and tails, got ${first.length} titled ${listOf(first)}`,
    {
      path: `${path}:${survey.line}`,
      hint:
        `Say it, as in --columns 'head=${name(head)},relation=${known === undefined ? '"linked to"' : name(known)},tail=${name(tail)}', ` +
        `or --table ${JSON.stringify(name(head))} to read each other column as a relation of that one. ` +
        `If line 1 is a fact: --columns head=${head + 1},relation=${known === undefined ? '"linked to"' : known + 1},tail=${tail + 1} --header no.`,
    },
  );
}
