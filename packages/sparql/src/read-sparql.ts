import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import {
  checkPattern,
  expectBounds,
  joinedVariables,
  type Pattern,
  planPattern,
  variablesOf,
  withTerms,
} from '@fuzzqe/core/query';
import type { Ordering, Query as QuerySyntax, TermVariable } from '@traqula/rules-sparql-1-1';
import { type AnswerColumn, answerColumns, isAnswerColumn } from './meaning/answer-columns.ts';
import { branchesApart } from './meaning/branches-apart.ts';
import type { AnswerFilter } from './meaning/read-filter.ts';
import { conditionOf, type Group, readGroup } from './meaning/read-group.ts';
import { filtersAlone, type Reading, readingOf, showVariable } from './meaning/reading.ts';
import { readNames } from './names/query-names.ts';
import { type ParsedText, placeOf } from './syntax/parsed-text.ts';

/** A column of the results: an answer variable or its label, or what the answer brings. */
export interface SparqlColumn {
  /** The variable without `?`. */
  readonly name: string;
  readonly is: 'answer' | AnswerColumn;
  /** Of an answer or a label: the place of the answer variable among those of the pattern; else 0. */
  readonly at: number;
}

/** By what the answers are sorted. */
export interface SparqlOrder {
  readonly by: SparqlColumn['is'];
  /** As `at` of a column. */
  readonly at: number;
  readonly descending: boolean;
}

/** Which of the answers are wanted, and how they are shown. */
export interface SparqlQuery {
  readonly form: 'select' | 'ask';
  /** The pattern whose answers these are. */
  readonly pattern: Pattern;
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
 * Reads what a query by the grammar of SPARQL 1.1 means, whose answers have degrees.
 *
 * Ranges: those of patterns, `checkPattern`.
 *
 * @throws FuzzError `query` or `vocabulary`, with line and column: which part has no degree, and why.
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
  const { group: grouped, having, order, limitOffset } = syntax.solutionModifiers;
  const grouping = grouped ?? having;
  if (grouping !== undefined) {
    const what = grouping === grouped ? 'GROUP BY' : 'HAVING';
    throw fail(
      placeOf(grouping),
      `${what}: expected none`,
      'Ranked answers each have a degree of their own.',
    );
  }

  const filters: AnswerFilter[] = [];
  const onAnswers = (filter: AnswerFilter): void => void filters.push(filter);
  const { where, values } = syntax;
  const patterns = values === undefined ? where.patterns : [...where.patterns, values];
  const at = placeOf(where);
  const group = readGroup(patterns, at, reading, { onAnswers });
  const columns = syntax.subType === 'select' ? readColumns(syntax, group, reading) : [];
  const exclude = filters.some((filter) => 'known' in filter) ? 'known' : 'none';
  const answers = columns.flatMap(({ name, is }) => (is === 'answer' ? [name] : []));
  // What is not recorded is asked of every solution, so every variable tells one solution from another.
  const told = syntax.subType === 'ask' && exclude === 'known' ? [...group.binds] : answers;
  const pattern = patternOf(group, told, at, reading);
  checkJoined(group, told, reading);
  checkSize(pattern, vocabulary, at, reading);

  const degrees = filters.flatMap((filter) => ('degree' in filter ? [filter] : []));
  // Of several the strictest holds.
  const [strictest] = degrees.sort((a, b) => b.degree - a.degree || Number(b.above) - Number(a.above));
  const orders = (order?.orderDefs ?? []).map((each) => readOrder(each, columns, reading));
  const isRanked =
    (syntax.subType === 'select' && limitOffset?.limit !== undefined) ||
    columns.some(({ is }) => is === 'degree') ||
    orders.some(({ by }) => by === 'degree');
  return {
    form: syntax.subType,
    pattern,
    columns,
    order: orders,
    limit: limitOffset?.limit,
    offset: limitOffset?.offset ?? 0,
    minDegree: strictest?.degree,
    ranked: isRanked,
    aboveMinDegree: strictest?.above ?? false,
    exclude,
  };
}

/** The pattern of a group, with these answer variables. */
function patternOf(group: Group, answers: readonly string[], at: number, reading: Reading): Pattern {
  const { scope, fail, openIn } = reading;
  const whole = conditionOf(group);
  if (whole === undefined)
    throw fail(at, 'ASK: expected a pattern, got none', 'As in ASK { entity:a relation:r entity:b }.');
  for (const name of answers)
    if (!group.binds.has(name)) throw openIn.get(name) ?? filtersAlone(name, at, reading);
  const numbers = answers.map((name) => scope.numberOf(name));
  const where = branchesApart(whole, new Set(numbers), () => scope.fresh());
  // Answers first, as the notation numbers them; names that branches gave up stand for no variable.
  const used = [...new Set([...numbers, ...variablesOf(where)])];
  return {
    variables: used.map(createNaming(scope.names, numbers)),
    answers: numbers.map((number) => used.indexOf(number)),
    where: withTerms(where, (term) =>
      'variable' in term ? { variable: used.indexOf(term.variable) } : term,
    ),
  };
}

/** Names variables by their numbers, each by a name of its own: answers as in the text. */
function createNaming(names: readonly string[], answers: readonly number[]): (number: number) => string {
  const taken = new Set(answers.map((number) => names[number]!));
  return (number) => {
    const name = names[number]!;
    if (answers.includes(number)) return name;
    let free = name;
    for (let n = 2; taken.has(free); n += 1) free = `${name}_${n}`;
    taken.add(free);
    return free;
  };
}

function readColumns(
  { variables }: Extract<QuerySyntax, { subType: 'select' }>,
  { binds, mentions }: Group,
  { fail }: Reading,
): SparqlColumn[] {
  const [first] = variables;
  const at = placeOf(first!);
  if (first?.type === 'wildcard') {
    const names = [...binds].filter((each) => !each.startsWith('_:'));
    if (names.length === 0)
      throw fail(at, 'SELECT *: expected a variable in the patterns, got none', 'Name a variable in them.');
    const answers = names.map((name, i): SparqlColumn => ({ name, is: 'answer', at: i }));
    return [...answers, { name: 'degree', is: 'degree', at: 0 }];
  }
  const names = variables.map((each): string => {
    if (each.type === 'term') return each.value;
    const hint = 'Ranked answers have variables only: aggregates and expressions are left to their reader.';
    throw fail(placeOf(each), 'SELECT: expected variables, got an expression', hint);
  });
  if (new Set(names).size < names.length)
    throw fail(at, 'SELECT: expected every variable once', 'Name each variable once.');
  const labelled = (name: string): string | undefined =>
    mentions.has(name) ? undefined : names.find((each) => name === `${each}Label`);
  const answers = names.filter((name) => !isAnswerColumn(name) && labelled(name) === undefined);
  const [answer, second] = answers;
  if (answer === undefined) {
    const hint = `Name a variable of the patterns, and any of ?${answerColumns.join(', ?')}.`;
    throw fail(at, 'SELECT: expected an answer variable, got none', hint);
  }
  const unknown = answers.find((name) => !mentions.has(name));
  if (unknown !== undefined) {
    const of = /^(.+)Label$/.exec(unknown)?.[1];
    const hint =
      of !== undefined && mentions.has(of)
        ? `A label comes with its variable: select ?${of} as well.`
        : `Write a pattern that it stands in, as entity:France relation:borders ?${unknown}.`;
    throw fail(at, `?${unknown}: expected a variable of the patterns, got one that they do not have`, hint);
  }
  if (second !== undefined && names.includes('label')) {
    const hint = `Ask for ?${answer}Label and ?${second}Label.`;
    throw fail(at, `?label: expected one answer variable, got ?${answer} and ?${second}`, hint);
  }
  return names.map((name): SparqlColumn => {
    const of = labelled(name);
    if (of !== undefined) return { name, is: 'label', at: answers.indexOf(of) };
    return isAnswerColumn(name)
      ? { name, is: name, at: 0 }
      : { name, is: 'answer', at: answers.indexOf(name) };
  });
}

function readOrder(
  { expression, descending }: Ordering,
  columns: readonly SparqlColumn[],
  { fail }: Reading,
): SparqlOrder {
  const name = isVariable(expression) ? expression.value : '';
  const column = columns.find((each) => each.name === name);
  if (column !== undefined) return { by: column.is, at: column.at, descending };
  if (isAnswerColumn(name)) return { by: name, at: 0, descending };
  const known = new Set([...answerColumns, ...columns.map((each) => each.name)]);
  const hint = `Sort by ?${[...known].join(', ?')}.`;
  throw fail(placeOf(expression), 'ORDER BY: expected the answer or what it brings', hint);
}

function isVariable(expression: Ordering['expression']): expression is TermVariable {
  return expression.subType === 'variable';
}

/** Refuses parts that have no variable in common: their answers would be all pairs. */
function checkJoined({ parts }: Group, answers: readonly string[], { scope, fail }: Reading): void {
  const all = joinedVariables({ op: 'and', operands: parts.map(({ condition }) => condition) });
  const [answer] = answers;
  const own = answer === undefined ? all[0] : all.find((part) => part.has(scope.numberOf(answer)));
  const loose = parts.find(({ condition }) =>
    joinedVariables(condition).some((part) => ![...part].every((variable) => own?.has(variable))),
  );
  if (loose === undefined) return;
  const to = answer === undefined ? 'the others' : showVariable(answer);
  throw fail(
    loose.at,
    `pattern: expected one that is joined to ${to}, got one of other variables`,
    'Answers would be all pairs. Add a pattern with a variable of both, or ask two queries.',
  );
}

/** The limits of patterns, told without a path into the pattern, since the text is SPARQL. */
function checkSize(pattern: Pattern, vocabulary: Vocabulary, at: number, { fail }: Reading): void {
  try {
    checkPattern(pattern, vocabulary);
    planPattern(pattern);
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    if (error.code !== 'query' || /at most/.test(error.message))
      throw new FuzzError(error.code, error.message, { hint: 'Ask in parts.', cause: error });
    throw fail(at, error.message, error.hint ?? 'Ask in parts.');
  }
}
