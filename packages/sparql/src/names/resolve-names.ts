import { entityBeginning, relationBeginning, type Vocabulary } from '@fuzzqe/core';
import type { Query, TermIri } from '@traqula/rules-sparql-1-1';
import type { ParsedText } from '../syntax/parsed-text.ts';
import { entityIri, findEntity, findRelation, relationIri } from './key-iris.ts';
import { located, readIris } from './query-names.ts';

/**
 * The same query with whole IRIs: without prefixes, with its BASE for the function `IRI`, and with the key of an entity or relation that is named by its label.
 *
 * An IRI that is neither in `entity:` nor in `relation:` may name what the graph does not have.
 *
 * @throws FuzzError `query` or `vocabulary`, with the place: a prefix that is not declared; no such entity or relation.
 */
export function resolveNames({ query, text }: ParsedText, vocabulary: Vocabulary): Query {
  const iriOf = readIris(text, query.context, vocabulary);
  const wholeIri = (iri: string): string => {
    if (iri.startsWith(entityBeginning)) return entityIri(findEntity(iri, vocabulary), vocabulary);
    if (iri.startsWith(relationBeginning)) return relationIri(findRelation(iri, vocabulary), vocabulary);
    return iri;
  };
  const resolved = new Map<object, unknown>();
  const copyOf = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    const known = resolved.get(part);
    if (known !== undefined) return known;
    const copy = isIri(part)
      ? {
          type: part.type,
          subType: part.subType,
          loc: part.loc,
          value: located(text, part, () => wholeIri(iriOf(part))),
        }
      : Array.isArray(part)
        ? part.map(copyOf)
        : Object.fromEntries(
            Object.entries(part).map(([name, value]) => [name, name === 'loc' ? value : copyOf(value)]),
          );
    resolved.set(part, copy);
    return copy;
  };
  // A copy of every part is of the kind of the part.
  return copyOf({ ...query, context: query.context.filter(({ subType }) => subType === 'base') }) as Query;
}

function isIri(part: object): part is TermIri {
  return 'subType' in part && part.subType === 'namedNode';
}
