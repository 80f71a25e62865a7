import {
  type EntityId,
  entityBeginning,
  FuzzError,
  isAbsoluteIri,
  type Prefixes,
  type RelationId,
} from '@fuzzqe/core';
import { errorAt } from '@fuzzqe/core/query';
import type { ContextDefinition, Term, TermIri } from '@traqula/rules-sparql-1-1';
import { resolve } from 'relative-to-absolute-iri';
import { placeOf } from '../syntax/parsed-text.ts';
import { type FindsNames, findEntity, findRelation, knownPrefixes } from './key-iris.ts';

/** What the names of a query stand for. */
export interface QueryNames {
  /** @throws FuzzError `query` or `vocabulary`, with the place: no entity, or none of this graph. */
  entity(term: Term): EntityId;
  /** @throws FuzzError `query` or `vocabulary`, with the place. */
  relation(term: TermIri): RelationId;
}

/**
 * Reads `PREFIX` and `BASE`; prefixes of the vocabulary are known without.
 *
 * @returns the IRI that a name is short for. It throws FuzzError `query`, with the place: a prefix that is not declared, a BASE that is missing.
 */
export function readIris(
  text: string,
  context: readonly ContextDefinition[],
  vocabulary: Pick<FindsNames, 'prefixes'>,
): (term: TermIri) => string {
  const prefixes = new Map(knownPrefixes(vocabulary));
  let base: string | undefined;
  for (const each of context) {
    const iri = absoluteIri(each.value.value, base, text, placeOf(each.value));
    if (each.subType === 'base') base = iri;
    else prefixes.set(each.key, iri);
  }
  return (term) => {
    const at = placeOf(term);
    return 'prefix' in term ? prefixedIri(term, text, at, prefixes) : absoluteIri(term.value, base, text, at);
  };
}

/** Reads the names of a query by its `PREFIX` and `BASE`. */
export function readNames(
  text: string,
  context: readonly ContextDefinition[],
  vocabulary: FindsNames,
): QueryNames {
  const iriOf = readIris(text, context, vocabulary);
  return {
    entity(term) {
      if (term.subType === 'literal') {
        const hint = 'Facts of the graph are between entities; entities are named by IRIs, as entity:France.';
        throw errorAt(text, placeOf(term), 'literal: expected an entity, got a literal', hint);
      }
      if (term.subType !== 'namedNode') {
        throw errorAt(
          text,
          placeOf(term),
          'entity: expected an IRI',
          'Entities are named by IRIs, as entity:France.',
        );
      }
      return located(text, term, () => findEntity(iriOf(term), vocabulary));
    },
    relation: (term) => located(text, term, () => findRelation(iriOf(term), vocabulary)),
  };
}

function absoluteIri(iri: string, base: string | undefined, text: string, at: number): string {
  // Segments such as `..` are taken as they are where nothing has to be resolved: keys are compared by their letters.
  if (isAbsoluteIri(iri)) return iri;
  if (base === undefined) {
    const hint = `Declare a BASE, or write <${entityBeginning}${iri}>, in short entity:${iri}.`;
    throw errorAt(text, at, `IRI: expected one with a scheme, got <${iri}>`, hint);
  }
  return resolve(iri, base);
}

function prefixedIri(
  { prefix, value }: { readonly prefix: string; readonly value: string },
  text: string,
  at: number,
  prefixes: Prefixes,
): string {
  const beginning = prefixes.get(prefix);
  if (beginning !== undefined) return beginning + value;
  const known = [...prefixes.keys()].slice(0, 20).map((each) => `${each}:`);
  const hint = `Declare it: PREFIX ${prefix}: <…>. Known without are ${known.join(', ')}.`;
  throw errorAt(text, at, `prefix: expected one that is declared, got "${prefix}:"`, hint);
}

/** Finds what a term names, or says where the term stands. */
export function located<T>(text: string, term: Term, find: () => T): T {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof FuzzError) || error.path !== undefined) throw error;
    const { message, hint, path } = errorAt(text, placeOf(term), error.message, error.hint ?? 'Here:');
    const details = { ...(path === undefined ? {} : { path }), ...(hint === undefined ? {} : { hint }) };
    throw new FuzzError(error.code, message, { ...details, cause: error });
  }
}
