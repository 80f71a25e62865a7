import type { Steps, Vocabulary } from '@fuzzqe/core';
import type { PatternRow } from '@fuzzqe/engine';
import { entityIri } from '../names/key-iris.ts';
import type { SparqlColumn, SparqlOrder, SparqlQuery } from '../read-sparql.ts';
import { type RdfTerm, xsd } from '../terms/rdf-term.ts';
import type { Solutions } from './sparql-result.ts';

/** Rows that are made, or written, in a piece of work. */
export const rowsOfStep = 64;

/** The rows that a query asks for, of its best answers: filtered, sorted and cut. */
export function* solutionsOf(
  query: SparqlQuery,
  answers: readonly PatternRow[],
  vocabulary: Vocabulary,
): Steps<Solutions> {
  const { columns, offset, limit } = query;
  const kept = sortAnswers(keepAnswers(query, answers), query.order, vocabulary);
  const end = limit === undefined ? undefined : offset + limit;
  const rows: (readonly RdfTerm[])[] = [];
  for (const answer of kept.slice(offset, end)) {
    if (rows.length % rowsOfStep === 0) yield;
    rows.push(columns.map((column) => termOf(column, answer, vocabulary)));
  }
  return { variables: columns.map(({ name }) => name), rows };
}

/** The answers whose degree is high enough: what is recorded may have less than the filter asks for. */
export function keepAnswers(
  { minDegree, aboveMinDegree }: SparqlQuery,
  answers: readonly PatternRow[],
): readonly PatternRow[] {
  if (minDegree === undefined) return answers;
  const least = Math.fround(minDegree);
  return answers.filter(({ degree }) => (aboveMinDegree ? degree > minDegree : degree >= least));
}

/**
 * How many of the best answers a query needs, at most `most`: those up to the end of its page where they come in the order
 * of their degrees, else all.
 */
export function neededAnswers({ form, order, limit, offset }: SparqlQuery, most: number): number {
  if (form === 'ask') return Math.min(1, most);
  const [first, ...others] = order;
  const byDegree = first === undefined || (first.by === 'degree' && first.descending && others.length === 0);
  return byDegree && limit !== undefined ? Math.min(offset + limit, most) : most;
}

function sortAnswers(
  answers: readonly PatternRow[],
  order: readonly SparqlOrder[],
  vocabulary: Vocabulary,
): readonly PatternRow[] {
  if (order.length === 0) return answers;
  const keyed = answers.map((answer) => ({
    answer,
    keys: order.map((each) => sortKey(each, answer, vocabulary)),
  }));
  // Equal ones stay in the order of their degrees.
  keyed.sort((a, b) => {
    for (const [i, { descending }] of order.entries()) {
      const [left, right] = [a.keys[i]!, b.keys[i]!];
      if (left !== right) return left < right === descending ? 1 : -1;
    }
    return 0;
  });
  return keyed.map(({ answer }) => answer);
}

function sortKey({ by, at }: SparqlOrder, row: PatternRow, vocabulary: Vocabulary): string | number {
  switch (by) {
    case 'answer':
      return entityIri(row.entities[at]!.id, vocabulary);
    case 'degree':
      return row.degree;
    case 'known':
      return Number(isKnown(row));
    case 'label':
      return row.entities[at]!.label;
  }
}

const isKnown = ({ state }: PatternRow): boolean => state === 'recorded';

function termOf({ is, at }: SparqlColumn, row: PatternRow, vocabulary: Vocabulary): RdfTerm {
  switch (is) {
    case 'answer':
      return { type: 'uri', value: entityIri(row.entities[at]!.id, vocabulary) };
    case 'degree':
      return { type: 'literal', value: String(row.degree), datatype: `${xsd}double` };
    case 'known':
      return { type: 'literal', value: String(isKnown(row)), datatype: `${xsd}boolean` };
    case 'label':
      return { type: 'literal', value: row.entities[at]!.label };
  }
}
