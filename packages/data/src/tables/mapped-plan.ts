import { FuzzError } from '@fuzzqe/core';
import { parseColumnMap } from './column-map.ts';
import { judgeTitles } from './judge-titles.ts';
import type { ColumnSurvey } from './survey-table.ts';
import type { SurveyedTable, TableOptions } from './table-options.ts';
import { listOf, planOf, type TablePlan } from './table-plan.ts';
import { plainTitle, provenanceColumns } from './titles.ts';

/** How a table is read whose columns a person has said; titles of the first file hold for files without titles. */
export function mappedPlan(
  table: SurveyedTable,
  text: string,
  leader: SurveyedTable,
  { header = 'auto' }: TableOptions,
): TablePlan {
  const { delimiter, survey } = table;
  const map = parseColumnMap(text);
  const own = survey.rows[0] ?? [];
  const names = [map.head, ...(map.isText ? [] : [map.relation]), map.tail];
  const named = (row: readonly string[]): boolean =>
    header !== 'no' && names.some((name) => titleAt(row, name) !== undefined);
  const titles = named(own) ? own : (leader.survey.rows[0] ?? []);
  const hasTitles = header === 'yes' || named(own) || judgeTitles(table, [table], header);
  const at = (role: string, name: string): number => {
    const column = columnAt(titles, name);
    if (column !== undefined) return column;
    throw noSuchColumn(table, `columns: ${role}`, name, titles);
  };
  const [head, tail] = [at('head', map.head), at('tail', map.tail)];
  const relation = map.isText ? undefined : columnAt(titles, map.relation);
  const told =
    relation === undefined && !map.isText
      ? [`no column is titled ${map.relation}: every fact has the relation ${JSON.stringify(map.relation)}`]
      : [];
  return planOf(
    delimiter,
    { head, relation: relation ?? Buffer.from(map.relation), tail },
    hasTitles
      ? { first: own, firstIs: 'titles', notes: told, exact: own.length }
      : {
          ...{ notes: told, exact: titles.length },
          ...(named(titles) ? { said: provenanceColumns(titles, { head, relation, tail }) } : {}),
        },
  );
}

/** How a table is read in which each column is a relation of one, whose name is its title. */
export function widePlan(table: SurveyedTable, key: string, leader: SurveyedTable): TablePlan {
  const { delimiter, survey } = table;
  const titles = leader.survey.rows[0] ?? [];
  const head = columnAt(titles, key);
  if (head === undefined) throw noSuchColumn(table, 'table', key, titles);
  const facts = titles.flatMap((title, tail) =>
    tail === head || title.trim() === ''
      ? []
      : [{ head, relation: Buffer.from(title.trim()), tail, isLiteral: holdsLiterals(survey.columns[tail]) }],
  );
  const own = survey.rows[0] ?? [];
  const hasTitles = String(own) === String(titles);
  return {
    delimiter,
    ...(hasTitles ? { first: own } : {}),
    firstIs: hasTitles ? 'titles' : 'fact',
    facts,
    isWide: true,
    needed: head + 1,
    exact: titles.length,
    notes: [],
  };
}

/** Whether a column holds numbers, dates or booleans, but for a few cells such as `n/a`. */
function holdsLiterals(column: ColumnSurvey | undefined): boolean {
  return column !== undefined && column.filled > 0 && column.literals >= literalShare * column.filled;
}
const literalShare = 0.9;

/** Where a title stands: as it is written, else without what tools add to titles. */
function titleAt(titles: readonly string[], name: string): number | undefined {
  for (const same of [
    (title: string) => title.trim() === name.trim(),
    (title: string) => plainTitle(title) === plainTitle(name),
  ]) {
    const at = titles.findIndex(same);
    if (at >= 0) return at;
  }
  return undefined;
}

/** A column by its title, else by its number from 1. */
function columnAt(titles: readonly string[], name: string): number | undefined {
  const number = /^\d+$/.test(name) ? Number(name) : 0;
  return titleAt(titles, name) ?? (number >= 1 && number <= titles.length ? number - 1 : undefined);
}

function noSuchColumn(
  { path, survey }: SurveyedTable,
  what: string,
  name: string,
  titles: readonly string[],
): FuzzError {
  return new FuzzError('usage', `${what}: expected a column of the file, got ${JSON.stringify(name)}`, {
    path: `${path}:${survey.line}`,
    hint: `Line ${survey.line} has: ${listOf(titles)}. Give one of these, or a number from 1 to ${titles.length}.`,
  });
}
