import type { FuzzError } from '@fuzzqe/core';
import type {
  GraphNode,
  Term,
  TermVariable,
  TripleCollection,
  TripleNesting,
} from '@traqula/rules-sparql-1-1';
import type { QueryNames } from '../names/query-names.ts';
import { placeOf } from '../syntax/parsed-text.ts';
import type { FactPattern, Place } from './fact-pattern.ts';

/** What a variable stands for. */
export type VariableKind = 'entity' | 'relation';

/** A variable of an operation. */
export interface FactVariable {
  readonly name: string;
  readonly kind: VariableKind;
  /** Where the variable stands first. */
  readonly at: number;
}

/** Reads the facts of one operation, and numbers its variables. */
export interface FactReader {
  readonly names: QueryNames;
  /** As `names`, but creates what the graph lacks, if the update may. */
  readonly creating: QueryNames;
  fail(at: number, message: string, hint: string): FuzzError;
  /** A triple between entities; `by` finds its names, by default `names`. Throws: `query`, `vocabulary`. */
  fact(triple: TripleNesting | TripleCollection, by?: QueryNames): FactPattern;
  /** The slot of a variable that a triple has; undefined for any other. */
  slotOf(variable: TermVariable): number | undefined;
  variable(slot: number): FactVariable;
  /** How many variables there are. */
  slots(): number;
}

/** Makes a reader for one operation. */
export function createFactReader({
  names,
  creating,
  fail,
}: Pick<FactReader, 'names' | 'creating' | 'fail'>): FactReader {
  const variables: FactVariable[] = [];
  const slotOf = ({ value }: TermVariable): number | undefined => {
    const slot = variables.findIndex(({ name }) => name === value);
    return slot === -1 ? undefined : slot;
  };
  const variable = (term: TermVariable, kind: VariableKind): Place => {
    const known = slotOf(term);
    const at = placeOf(term);
    if (known === undefined) return { slot: variables.push({ name: term.value, kind, at }) - 1 };
    if (variables[known]!.kind === kind) return { slot: known };
    const hint = 'Give the relation a variable of its own.';
    throw fail(at, `?${term.value}: expected an entity or a relation, got both`, hint);
  };
  const end = (node: GraphNode, by: QueryNames): Place => {
    const term: Term = node.type === 'tripleCollection' ? node.identifier : node;
    if (term.subType === 'literal')
      throw fail(
        placeOf(node),
        'literal: expected an entity, got a literal',
        'An update changes facts between entities. PATCH /v1/entities changes labels, further names and attributes.',
      );
    if (node.type === 'tripleCollection' || term.subType === 'blankNode')
      throw fail(
        placeOf(node),
        'blank node: expected an entity',
        'Entities are named by IRIs, as entity:France.',
      );
    return term.subType === 'variable' ? variable(term, 'entity') : { id: by.entity(term) };
  };
  return {
    names,
    creating,
    fail,
    slotOf,
    variable: (slot) => variables[slot]!,
    slots: () => variables.length,
    fact(triple, by = names) {
      if (triple.type === 'tripleCollection') {
        end(triple, by);
        throw new Error('expected a refusal of blank nodes');
      }
      const { subject, predicate, object } = triple;
      const [head, tail] = [end(subject, by), end(object, by)];
      if (predicate.type !== 'path') {
        if (predicate.subType === 'variable')
          return { head, relation: variable(predicate, 'relation'), tail };
        return { head, relation: { id: by.relation(predicate) }, tail };
      }
      const [relation] = predicate.items;
      if (predicate.subType === '^' && relation?.type === 'term')
        return { head: tail, relation: { id: by.relation(relation) }, tail: head };
      const hint = 'Write a triple for each relation.';
      throw fail(placeOf(predicate), 'path: expected one relation, got a path', hint);
    },
  };
}
