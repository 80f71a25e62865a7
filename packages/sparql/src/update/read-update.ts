import type { FuzzError, Vocabulary } from '@fuzzqe/core';
import { errorAt } from '@fuzzqe/core/query';
import type {
  ContextDefinition,
  Pattern,
  Quads,
  Update,
  UpdateOperation as UpdateSyntax,
} from '@traqula/rules-sparql-1-1';
import { readNames } from '../names/query-names.ts';
import { type ParsedText, placeOf } from '../syntax/parsed-text.ts';
import {
  type Condition,
  type FactPattern,
  orderGroup,
  type PatternGroup,
  slotsOf,
  type UpdateOperation,
} from './fact-pattern.ts';
import { readCondition } from './read-condition.ts';
import { createFactReader, type FactReader } from './read-fact.ts';

/**
 * Reads the operations of an update by the names of a graph.
 *
 * @throws FuzzError `query` or `vocabulary`, with line and column: what facts between entities cannot say, or a name that the graph lacks.
 */
export function readUpdate(
  { query, text }: ParsedText<'update'>,
  vocabulary: Vocabulary,
): readonly UpdateOperation[] {
  const context: ContextDefinition[] = [];
  return query.updates.flatMap((each: Update['updates'][number]) => {
    // Prefixes hold for the operations that follow, too.
    context.push(...each.context);
    if (each.operation === undefined) return [];
    const names = readNames(text, context, vocabulary);
    const fail = (at: number, message: string, hint: string): FuzzError => errorAt(text, at, message, hint);
    return [readOperation(each.operation, createFactReader(names, fail))];
  });
}

function readOperation(operation: UpdateSyntax, reader: FactReader): UpdateOperation {
  const at = placeOf(operation);
  switch (operation.subType) {
    case 'insertdata':
    case 'deletedata': {
      const given = readQuads(operation.data, reader);
      expectBound(given, new Set(), 'a fact without variables', reader);
      const [add, remove] = operation.subType === 'insertdata' ? [given, []] : [[], given];
      return { add, remove, where: undefined, slots: 0 };
    }
    case 'deletewhere': {
      const remove = readQuads(operation.data, reader);
      return { add: [], remove, where: orderGroup(remove, [], new Set()), slots: reader.slots() };
    }
    case 'modify': {
      const { graph, from } = operation;
      if (graph !== undefined || from.clauses.length > 0)
        throw reader.fail(
          at,
          `${graph === undefined ? 'USING' : 'WITH'}: expected no graph, got one`,
          noGraphs,
        );
      const where = readGroup(operation.where.patterns, reader, new Set());
      const remove = readQuads(operation.delete, reader);
      const add = readQuads(operation.insert, reader);
      expectBound([...remove, ...add], where.bound, 'a variable that WHERE has', reader);
      return { add, remove, where: where.group, slots: reader.slots() };
    }
    default: {
      const hint = 'Operations are INSERT DATA, DELETE DATA, DELETE WHERE, and DELETE and INSERT with WHERE.';
      const name = operation.subType.toUpperCase();
      throw reader.fail(at, `${name}: expected an operation on single facts`, hint);
    }
  }
}

const noGraphs = 'There is one graph of facts: leave it out.';

function readQuads(quads: readonly Quads[], reader: FactReader): FactPattern[] {
  return quads.flatMap((each) => {
    if (each.type === 'graph')
      throw reader.fail(placeOf(each.graph), 'GRAPH: expected no graph, got one', noGraphs);
    return each.triples.map(reader.fact);
  });
}

function expectBound(
  patterns: readonly FactPattern[],
  bound: ReadonlySet<number>,
  expected: string,
  reader: FactReader,
): void {
  for (const pattern of patterns)
    for (const slot of slotsOf(pattern))
      if (!bound.has(slot)) {
        const { name, at } = reader.variable(slot);
        throw reader.fail(
          at,
          `?${name}: expected ${expected}`,
          'Write a pattern of WHERE with the variable.',
        );
      }
}

/** A group with the variables that have values in it. */
interface ReadGroup {
  readonly group: PatternGroup;
  readonly bound: ReadonlySet<number>;
}

/** Reads triples first, whatever their order: what a variable stands for, a filter is read with. */
function readGroup(patterns: readonly Pattern[], reader: FactReader, given: ReadonlySet<number>): ReadGroup {
  const facts: FactPattern[] = [];
  for (const pattern of patterns) {
    if (pattern.subType === 'bgp') facts.push(...pattern.triples.map(reader.fact));
    else if (pattern.subType !== 'filter' && pattern.subType !== 'values') {
      const hint = 'WHERE has triples, VALUES ?x { … } and FILTER, and matches recorded facts.';
      const name = pattern.type === 'query' ? 'SELECT' : pattern.subType.toUpperCase();
      throw reader.fail(placeOf(pattern), `${name}: expected a pattern of facts`, hint);
    }
  }
  const bound = new Set([...given, ...facts.flatMap(slotsOf)]);
  const conditions = patterns.flatMap((pattern): Condition[] => {
    if (pattern.subType !== 'filter' && pattern.subType !== 'values') return [];
    return readCondition(pattern, {
      reader,
      bound,
      groupOf: (inner) => readGroup(inner, reader, bound).group,
    });
  });
  return { group: orderGroup(facts, conditions, given), bound };
}
