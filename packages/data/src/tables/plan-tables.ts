import { FuzzError } from '@fuzzqe/core';
import { judgeTitles, looksLikeTitles, misplacedRelation, refuseUnmapped } from './judge-titles.ts';
import { mappedPlan, widePlan } from './mapped-plan.ts';
import { surveyTable, type TableSurvey } from './survey-table.ts';
import type { SurveyedTable, TableFile, TableOptions } from './table-options.ts';
import { defaultColumns, type FactColumns, planOf, type TablePlan } from './table-plan.ts';
import { readTitles } from './titles.ts';

/**
 * Decides how the tables of one data set are read: which line is one of titles, and which column holds what.
 *
 * Line 1 is taken for titles where it has known ones whose names do not occur again below. Titles that could be names,
 * such as `s`, `p`, `o`, are titles only where all files have them. A file without titles is read in the order of the
 * first file.
 *
 * @throws FuzzError `usage`: a table whose columns are not known, with what to type; columns that are not there; files
 *   that disagree on the order.
 */
export async function planTables(
  files: readonly TableFile[],
  options: TableOptions,
): Promise<readonly TablePlan[]> {
  if (options.columns !== undefined && options.table !== undefined)
    throw new FuzzError('usage', 'table: expected --columns or --table, got both', {
      hint: 'Leave one of them out.',
    });
  const tables: SurveyedTable[] = [];
  for (const file of files) {
    const survey = await surveyTable(file.path, file.delimiter, watchedFields);
    tables.push({ ...file, survey, titled: readTitles(survey.rows[0] ?? []) });
  }
  const { columns, table } = options;
  const verdicts = tables.map((each) => judgeTitles(each, tables, options.header ?? 'auto'));
  const plans: TablePlan[] = [];
  for (const [i, each] of tables.entries()) {
    const plan =
      table !== undefined
        ? widePlan(each, table, tables[0]!)
        : columns !== undefined
          ? mappedPlan(each, columns, tables[0]!, options)
          : planTable(each, verdicts[i]!, plans[0], options);
    plans.push(withSample(plan, each.survey));
  }
  return plans;
}

function withSample(plan: TablePlan, { rows }: TableSurvey): TablePlan {
  const sample = rows[plan.first === undefined ? 0 : 1];
  if (sample === undefined) return plan;
  return {
    ...plan,
    sample: plan.delimiter.character === ' ' ? sample.flatMap((cell) => cell.split(' ')) : sample,
  };
}

/** Which fields of a first line are looked for below: those of titles, or where there is none, no particular ones. */
function watchedFields(first: readonly string[]): readonly number[] | undefined {
  const titled = readTitles(first);
  if (titled === undefined) return undefined;
  const { head, relation, tail } = titled;
  const more = first.length === 3 ? [0, 1, 2] : relation === undefined ? [] : [relation];
  return [...new Set([head, tail, ...more])];
}

function planTable(
  table: SurveyedTable,
  areTitles: boolean,
  before: TablePlan | undefined,
  { header = 'auto', ignoreExtra = false }: TableOptions,
): TablePlan {
  const { path, delimiter, survey, titled } = table;
  const [first = []] = survey.rows;
  const counted = openKePlan(table);
  if (counted !== undefined) return counted;
  const width = ignoreExtra ? {} : { exact: Math.max(first.length, 3) };
  if (areTitles && titled?.relation !== undefined) {
    const columns = { ...defaultColumns, ...titled, relation: titled.relation };
    const { head, relation, tail } = columns;
    if (before !== undefined && before.firstIs === 'fact' && !inOrder(before.facts[0]!, columns))
      throw disagreement(table);
    return planOf(
      delimiter,
      { head, relation, tail },
      { first, firstIs: 'titles', ...width, notes: groupNotes(first, columns) },
    );
  }
  // A part that was cut off a table with titles has its columns, and no titles of its own.
  if (before?.firstIs === 'titles' && !areTitles) {
    const { first: _, ...rest } = before;
    return { ...rest, firstIs: 'fact', notes: [] };
  }
  if (areTitles) {
    if (titled !== undefined || first.length > 3 || misplacedRelation(survey) !== undefined)
      throw refuseUnmapped(table);
    return planOf(delimiter, defaultColumns, {
      first,
      firstIs: 'titles',
      ...(ignoreExtra ? {} : { exact: 3 }),
    });
  }
  const looks = header === 'auto' ? looksLikeTitles(table) : undefined;
  if (
    looks !== undefined &&
    (looks === 'surely' || first.length > 3 || misplacedRelation(survey) !== undefined)
  )
    throw refuseUnmapped(table);
  return planOf(delimiter, defaultColumns, {
    ...(ignoreExtra ? {} : { exact: 3 }),
    notes: [...titleNotes(table, looks, header), ...orderNotes(path, survey)],
  });
}

/** What to say about a first line that was read as a fact. */
function titleNotes(
  { path, survey, titled }: SurveyedTable,
  looks: string | undefined,
  header: string,
): string[] {
  const [first = []] = survey.rows;
  const line = `${path}:${survey.line}`;
  if (header !== 'auto') return [];
  if (titled?.relation !== undefined && first.length === 3)
    return [
      `${line}: ${first.join(', ')} could be titles, and was read as a fact; --header yes takes it for titles`,
    ];
  return looks === undefined
    ? []
    : [
        `${line}: ${first.join(', ')} looks like titles, and was read as a fact; if it is titles: --header yes, or --columns head=…,relation=…,tail=…`,
      ];
}

function orderNotes(path: string, survey: TableSurvey): string[] {
  const at = misplacedRelation(survey);
  if (at === undefined) return [];
  const others = [0, 1, 2].filter((column) => column !== at).map((column) => column + 1);
  return [
    `${path}: column 2 was read as the relation and has ${survey.columns[1]!.distinct} names in ${survey.records + 1} facts, column ${at + 1} has ${survey.columns[at]!.distinct}; if that is the relation: --columns head=${others[0]},relation=${at + 1},tail=${others[1]}`,
  ];
}

/** Ids of two spaces would be one entity where they are equal. */
function groupNotes(
  first: readonly string[],
  { head, tail }: { readonly head: number; readonly tail: number },
): string[] {
  const [one, other] = [head, tail].map((column) => /\(([^()]*)\)\s*$/.exec(first[column]!)?.[1]);
  return one === other
    ? []
    : [
        `ids of the groups ${one ?? 'without a name'} and ${other ?? 'without a name'} are read as ids of one group`,
      ];
}

function inOrder({ head, relation, tail }: FactColumns, columns: FactColumns): boolean {
  return head === columns.head && relation === columns.relation && tail === columns.tail;
}

function disagreement({ path, survey }: SurveyedTable): FuzzError {
  return new FuzzError(
    'usage',
    'columns: expected all files of a data set in one order, got titles in another than the first file, which has none',
    {
      path: `${path}:${survey.line}`,
      hint: 'Say the order: --columns head=1,relation=2,tail=3, with the numbers of the columns.',
    },
  );
}

/** How OpenKE writes triples: their number, then head, tail and relation as numbers. */
function openKePlan({ delimiter, survey }: SurveyedTable): TablePlan | undefined {
  const [first, second] = survey.rows;
  if (first?.length !== 1 || second === undefined || !/^\s*\d+\s*$/.test(first[0]!)) return undefined;
  const between = second.length === 1 ? { ...delimiter, character: ' ' as const } : delimiter;
  const cells = second.length === 1 ? second[0]!.split(' ') : second;
  if (cells.length !== 3 || !cells.every((cell) => /^\d+$/.test(cell))) return undefined;
  return planOf(between, { head: 0, tail: 1, relation: 2 }, { first, firstIs: 'count', exact: 3 });
}
