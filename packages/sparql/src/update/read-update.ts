import type { FuzzError } from '@fuzzqe/core';
import { errorAt } from '@fuzzqe/core/query';
import type {
  ContextDefinition,
  Pattern,
  Quads,
  Update,
  UpdateOperation as UpdateSyntax,
} from '@traqula/rules-sparql-1-1';
import { type QueryNames, readNames } from '../names/query-names.ts';
import { type ParsedText, placeOf } from '../syntax/parsed-text.ts';
import {
  type Condition,
  type FactPattern,
  orderGroup,
  type PatternGroup,
  slotsOf,
  type UpdateOperation,
} from './fact-pattern.ts';
import type { NewNames } from './new-names.ts';
import { readCondition } from './read-condition.ts';
import { createFactReader, type FactReader } from './read-fact.ts';

/**
 * Reads the operations of an update by the names of a graph; facts that come may create names, which later operations know.
 *
 * @throws FuzzError `query` or `vocabulary`, with line and column: what facts between entities cannot say, or a name that the graph lacks.
 */
export function readUpdate(
  { query, text }: ParsedText<'update'>,
  { known, creating }: NewNames,
): readonly UpdateOperation[] {
  const context: ContextDefinition[] = [];
  return query.updates.flatMap((each: Update['updates'][number]) => {
    // Prefixes hold for the operations that follow, too.
    context.push(...each.context);
    if (each.operation === undefined) return [];
    const reader = createFactReader({
      names: readNames(text, context, known),
      creating: readNames(text, context, creating),
      fail: (at, message, hint): FuzzError => errorAt(text, at, message, hint),
    });
    return [readOperation(each.operation, reader)];
  });
}

function readOperation(operation: UpdateSyntax, reader: FactReader): UpdateOperation {
  const at = placeOf(operation);
  switch (operation.subType) {
    case 'insertdata':
    case 'deletedata': {
      const isAdded = operation.subType === 'insertdata';
      const given = readQuads(operation.data, reader, isAdded ? reader.creating : reader.names);
      expectBound(given, new Set(), 'a fact without variables', reader);
      const [add, remove] = isAdded ? [given, []] : [[], given];
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
      const add = readQuads(operation.insert, reader, reader.creating);
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

function readQuads(quads: readonly Quads[], reader: FactReader, by?: QueryNames): FactPattern[] {
  return quads.flatMap((each) => {
    if (each.type === 'graph')
      throw reader.fail(placeOf(each.graph), 'GRAPH: expected no graph, got one', noGraphs);
    return each.triples.map((triple) => reader.fact(triple, by));
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
    if (pattern.subType === 'bgp') facts.push(...pattern.triples.map((triple) => reader.fact(triple)));
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
