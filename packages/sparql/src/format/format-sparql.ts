import { type EntityId, FuzzError, type RelationId, type Vocabulary } from '@fuzzqe/core';
import { checkQuery, type EntityQuery, type Query } from '@fuzzqe/core/query';
import { createIriWriter, type IriWriter } from './iri-writer.ts';

/** What a text asks for in addition to the patterns. */
export interface SparqlFormat {
  /** `LIMIT`. Default: none. */
  readonly limit?: number;
  /** `FILTER(?degree >= …)`, in [0, 1]. Default: none. */
  readonly minDegree?: number;
  /** `known` leaves out what is recorded: `FILTER(!?known)`. Default `none`. */
  readonly exclude?: 'known' | 'none';
}

/**
 * Writes a query as SPARQL 1.1, with the answer variable `?x` and the prefixes that it needs.
 *
 * `parseSparql(formatSparql(query, vocabulary), vocabulary).query` is the query again.
 *
 * @throws FuzzError `range` or `query`, as `checkQuery` does. `query`: a negation with nothing to negate it of, which SPARQL
 *   cannot say.
 * @example
 * const text = formatSparql(parseQueryText('project(borders, France)', vocabulary), vocabulary, { limit: 10 });
 */
export function formatSparql(query: Query, vocabulary: Vocabulary, format: SparqlFormat = {}): string {
  checkQuery(query, vocabulary);
  const { limit, minDegree, exclude } = format;
  const iris = createIriWriter(vocabulary);
  const lines = createPatternWriter(iris).patterns(query, 'x', false);
  if (minDegree !== undefined) lines.push(`FILTER(?degree >= ${minDegree})`);
  if (exclude === 'known') lines.push('FILTER(!?known)');
  return [
    ...iris.prefixes(),
    'SELECT ?x ?degree WHERE {',
    ...indented(lines),
    '}',
    'ORDER BY DESC(?degree)',
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
    '',
  ].join('\n');
}

interface PatternWriter {
  /** The patterns that give a variable the answers of a query; `bounded`: it has values from outside. */
  patterns(query: Query, variable: string, bounded: boolean): string[];
}

function createPatternWriter(iris: IriWriter): PatternWriter {
  let variables = 0;

  const patterns = (query: Query, variable: string, bounded: boolean): string[] => {
    switch (query.op) {
      case 'entity':
        return [values(variable, [query.entity])];
      case 'project':
        return projection(query, variable);
      case 'not':
        if (!bounded) throw openNegation();
        return negation(query.operand, variable);
      case 'and': {
        const { operands } = query;
        // What is said first gives the variable its values; filters may stand before it.
        const isBounded = bounded || operands.some((operand) => operand.op !== 'not');
        if (!isBounded) throw openNegation();
        return operands.flatMap((operand) => {
          if (operand.op === 'not') return negation(operand.operand, variable);
          const inner = patterns(operand, variable, bounded);
          return operand.op === 'and' ? braces(inner) : inner;
        });
      }
      case 'or': {
        const { operands } = query;
        if (operands.every((operand) => operand.op === 'entity')) {
          return [
            values(
              variable,
              operands.map((operand) => (operand as EntityQuery).entity),
            ),
          ];
        }
        return operands.flatMap((operand, i) => {
          const branch = braces(patterns(operand, variable, bounded));
          return i === 0 ? branch : [`UNION ${branch[0]}`, ...branch.slice(1)];
        });
      }
    }
  };
  const values = (variable: string, entities: readonly EntityId[]): string =>
    `VALUES ?${variable} { ${entities.map((each) => iris.entity(each)).join(' ')} }`;
  const negation = (query: Query, variable: string): string[] => {
    const [first, ...rest] = braces(patterns(query, variable, true));
    return [`FILTER NOT EXISTS ${first}`, ...rest];
  };
  /** Relations one after the other are a path; what is no entity at its start has a variable of its own. */
  const projection = (query: Query, variable: string): string[] => {
    const steps: RelationId[] = [];
    let from = query;
    for (; from.op === 'project'; from = from.from) steps.unshift(from.relation);
    const object = `?${variable}`;
    if (from.op === 'entity') return [triple(iris.entity(from.entity), steps, object)];
    const start = `v${++variables}`;
    return [...patterns(from, start, false), triple(`?${start}`, steps, object)];
  };
  const triple = (subject: string, steps: readonly RelationId[], object: string): string => {
    const [first] = steps;
    // The inverse of one relation is the same pattern from its other side.
    if (steps.length === 1 && first! % 2 === 1) return `${object} ${iris.relation(first!)} ${subject} .`;
    const path = steps.map((step) => (step % 2 === 1 ? '^' : '') + iris.relation(step)).join('/');
    return `${subject} ${path} ${object} .`;
  };
  return { patterns };
}

function braces(lines: readonly string[]): string[] {
  return lines.length === 1 ? [`{ ${lines[0]} }`] : ['{', ...indented(lines), '}'];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function openNegation(): FuzzError {
  return new FuzzError(
    'query',
    'SPARQL: expected negations beside a positive operand of "and", got one alone',
    {
      hint: 'SPARQL has no variable that stands for every entity: join it by "and" with what is not negated.',
    },
  );
}
