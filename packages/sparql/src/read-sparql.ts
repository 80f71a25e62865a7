import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import { and, checkQuery, entity, expectBounds, type Query } from '@fuzzqe/core/query';
import type { Ordering, Query as QuerySyntax, TermVariable } from '@traqula/rules-sparql-1-1';
import { type AnswerColumn, answerColumns, isAnswerColumn } from './meaning/answer-columns.ts';
import {
  boundBy,
  type Element,
  mentionedBy,
  type Reading,
  readingOf,
  showVariable,
} from './meaning/element.ts';
import type { AnswerFilter } from './meaning/read-filter.ts';
import { readGroup } from './meaning/read-group.ts';
import { follow } from './meaning/read-path.ts';
import { solveGroup } from './meaning/solve-group.ts';
import { readNames } from './names/query-names.ts';
import { type ParsedText, placeOf } from './syntax/parsed-text.ts';

/** A column of the results: the answer, or what it brings. */
export interface SparqlColumn {
  /** The variable without `?`. */
  readonly name: string;
  readonly is: 'answer' | AnswerColumn;
}

/** By what the answers are sorted. */
export interface SparqlOrder {
  readonly by: SparqlColumn['is'];
  readonly descending: boolean;
}

/** Which of the answers are wanted, and how they are shown. */
export interface SparqlQuery {
  readonly form: 'select' | 'ask';
  /** The tree of projections, conjunctions, disjunctions and negations whose answers these are. */
  readonly query: Query;
  /** The answer variable without `?`; none where ASK is about two entities. */
  readonly variable: string | undefined;
  /** Of SELECT, in the order of the text. */
  readonly columns: readonly SparqlColumn[];
  /** Empty: by degree, the highest first. */
  readonly order: readonly SparqlOrder[];
  readonly limit: number | undefined;
  readonly offset: number;
  /** The lowest degree of a row, in [0, 1], by a filter. */
  readonly minDegree: number | undefined;
  /** Whether suggestions are rows, too: of SELECT with `LIMIT`, or where the text names `?degree`. */
  readonly ranked: boolean;
  /** Whether answers of `minDegree` itself are left out. */
  readonly aboveMinDegree: boolean;
  /** What `FILTER(!?known)` leaves out. */
  readonly exclude: 'known' | 'none';
}

/**
 * Reads what a query by the grammar of SPARQL 1.1 means, whose patterns make a tree with one answer variable.
 *
 * Ranges: at most 64 levels and 1024 nodes of the tree.
 *
 * @throws FuzzError `query` or `vocabulary`, with line and column: which part cannot be answered, and why.
 */
export function readSparql(parsed: ParsedText, vocabulary: Vocabulary): SparqlQuery {
  const { query: syntax, text } = parsed;
  expectBounds(vocabulary);
  const reading = readingOf(text, readNames(text, syntax.context, vocabulary));
  const { fail } = reading;
  if (syntax.subType !== 'select' && syntax.subType !== 'ask') {
    const form = syntax.subType.toUpperCase();
    throw fail(
      text.search(new RegExp(form, 'i')),
      `${form}: expected SELECT or ASK`,
      'Answers are entities.',
    );
  }
  const [dataset] = syntax.datasets.clauses;
  if (dataset !== undefined) {
    throw fail(
      placeOf(dataset.value),
      'FROM: expected no data set, got one',
      'A bundle is one graph: leave FROM out.',
    );
  }
  const { group, having, order, limitOffset } = syntax.solutionModifiers;
  const grouping = group ?? having;
  if (grouping !== undefined) {
    const what = grouping === group ? 'GROUP BY' : 'HAVING';
    throw fail(
      placeOf(grouping),
      `${what}: expected none`,
      'Answers are single entities, each with its degree.',
    );
  }

  const filters: AnswerFilter[] = [];
  const onAnswers = (filter: AnswerFilter): void => void filters.push(filter);
  const { where, values } = syntax;
  const patterns = values === undefined ? where.patterns : [...where.patterns, values];
  const elements = readGroup(patterns, reading, onAnswers);
  const columns = syntax.subType === 'select' ? readColumns(syntax, elements, reading) : [];
  const variable =
    syntax.subType === 'select'
      ? columns.find(({ is }) => is === 'answer')!.name
      : askedVariable(elements, placeOf(where), reading);
  const query =
    variable === undefined
      ? groundQuery(elements, placeOf(where), reading)
      : solveGroup(elements, variable, false, placeOf(where), reading);
  checkSize(query, vocabulary);

  const degrees = filters.flatMap((filter) => ('degree' in filter ? [filter] : []));
  // Of several the strictest holds.
  const [strictest] = degrees.sort((a, b) => b.degree - a.degree || Number(b.above) - Number(a.above));
  const orders = (order?.orderDefs ?? []).map((each) => readOrder(each, variable, reading));
  const isRanked =
    (syntax.subType === 'select' && limitOffset?.limit !== undefined) ||
    columns.some(({ is }) => is === 'degree') ||
    orders.some(({ by }) => by === 'degree');
  return {
    form: syntax.subType,
    query,
    variable,
    columns,
    order: orders,
    limit: limitOffset?.limit,
    offset: limitOffset?.offset ?? 0,
    minDegree: strictest?.degree,
    ranked: isRanked,
    aboveMinDegree: strictest?.above ?? false,
    exclude: filters.some((filter) => 'known' in filter) ? 'known' : 'none',
  };
}

function readColumns(
  { variables }: Extract<QuerySyntax, { subType: 'select' }>,
  elements: readonly Element[],
  { fail }: Reading,
): SparqlColumn[] {
  const [first] = variables;
  const at = placeOf(first!);
  const bound = new Set(elements.flatMap((element) => [...boundBy(element)]));
  if (first?.type === 'wildcard') {
    const [name, ...others] = [...bound].filter((each) => !each.startsWith('_:'));
    if (name === undefined || others.length > 0) {
      const got = name === undefined ? 'none' : `?${name}, ?${others.join(', ?')}`;
      throw fail(
        at,
        `SELECT *: expected one variable in the patterns, got ${got}`,
        'Name the answer variable.',
      );
    }
    return [
      { name, is: 'answer' },
      { name: 'degree', is: 'degree' },
    ];
  }
  const columns = variables.map((each): SparqlColumn => {
    if (each.type !== 'term') {
      const hint = 'Results have variables only: aggregates and expressions are left to whoever reads them.';
      throw fail(placeOf(each), 'SELECT: expected variables, got an expression', hint);
    }
    const { value: name } = each;
    return { name, is: isAnswerColumn(name) ? name : 'answer' };
  });
  const answers = columns.filter(({ is }) => is === 'answer');
  const [answer, second] = answers;
  if (answer === undefined || second !== undefined) {
    const got = answers.length === 0 ? 'none' : answers.map(({ name }) => `?${name}`).join(' and ');
    const hint = `Answers are single entities: name one variable, and any of ?${answerColumns.join(', ?')}.`;
    throw fail(at, `SELECT: expected one answer variable, got ${got}`, hint);
  }
  if (new Set(columns.map(({ name }) => name)).size < columns.length) {
    throw fail(at, 'SELECT: expected every variable once', 'Name each variable once.');
  }
  if (!elements.some((element) => [...mentionedBy(element)].includes(answer.name))) {
    const hint = 'Write a pattern that it stands in, as entity:France relation:borders ?x.';
    throw fail(
      at,
      `?${answer.name}: expected a variable of the patterns, got one that they do not have`,
      hint,
    );
  }
  return columns;
}

/** The variable that ASK is about, or none for two entities. */
function askedVariable(elements: readonly Element[], at: number, { fail }: Reading): string | undefined {
  const [variable, second] = new Set(elements.flatMap((element) => [...boundBy(element)]));
  if (second === undefined) return variable;
  const shown = [variable!, second].map(showVariable).join(' and ');
  const hint = 'Ask with SELECT for one of them, or write a path: a relation, / and another.';
  throw fail(at, `ASK: expected one variable or two entities, got ${shown}`, hint);
}

/** Whether relations lead from one entity to another, as what they lead to and is the other. */
function groundQuery(elements: readonly Element[], at: number, { fail }: Reading): Query {
  const [link, ...others] = elements;
  if (link?.kind === 'link' && others.length === 0 && 'entity' in link.from && 'entity' in link.to) {
    return and(follow(entity(link.from.entity), link.steps), entity(link.to.entity));
  }
  throw fail(at, 'ASK: expected one variable or two entities', 'As in ASK { entity:a relation:r entity:b }.');
}

function readOrder(
  { expression, descending }: Ordering,
  variable: string | undefined,
  { fail }: Reading,
): SparqlOrder {
  const name = isVariable(expression) ? expression.value : undefined;
  if (name !== undefined && name === variable) return { by: 'answer', descending };
  if (name !== undefined && isAnswerColumn(name)) return { by: name, descending };
  const hint = `Sort by ?${answerColumns.join(', ?')}${variable === undefined ? '' : ` or ?${variable}`}.`;
  throw fail(placeOf(expression), 'ORDER BY: expected the answer or what it brings', hint);
}

function isVariable(expression: Ordering['expression']): expression is TermVariable {
  return expression.subType === 'variable';
}

/** The limits of queries, told without a path into the tree, which is not what was written. */
function checkSize(query: Query, vocabulary: Vocabulary): void {
  try {
    checkQuery(query, vocabulary);
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    throw new FuzzError(error.code, error.message, { hint: 'Ask in parts.', cause: error });
  }
}
