import { type EntityId, FuzzError, type Prefixes, type RelationId, type Vocabulary } from '@fuzzqe/core';

/** How the IRI of an entity begins whose key is none. */
export const entityBeginning = 'urn:fuzzqe:entity:';

/** How the IRI of a relation begins whose key is none. */
export const relationBeginning = 'urn:fuzzqe:relation:';

/** The IRI that stands for an entity: its key where that is one, else its key after `urn:fuzzqe:entity:`. */
export function entityIri(id: EntityId, vocabulary: Vocabulary): string {
  return keyIri(vocabulary.entity(id).key, entityBeginning, hasIriKeys(vocabulary));
}

/** The IRI that stands for a relation of the data, without its direction. */
export function relationIri(id: RelationId, vocabulary: Vocabulary): string {
  return keyIri(vocabulary.relation(id - (id % 2)).key, relationBeginning, hasIriKeys(vocabulary));
}

/**
 * The entity that an IRI stands for; after `urn:fuzzqe:entity:`, a label will do.
 *
 * @throws FuzzError `vocabulary`: there is none.
 */
export function findEntity(iri: string, vocabulary: Vocabulary): EntityId {
  return vocabulary.findEntity(nameBehind(iri, entityBeginning));
}

/** The relation of the data that an IRI stands for; after `urn:fuzzqe:relation:`, a label will do. */
export function findRelation(iri: string, vocabulary: Vocabulary): RelationId {
  return vocabulary.findRelation(nameBehind(iri, relationBeginning));
}

/** The prefixes that a query need not declare: those of the graph that stand for IRIs, `entity:` and `relation:`. */
export function knownPrefixes(vocabulary: Vocabulary): Prefixes {
  const ours: [string, string][] = [
    ['entity', entityBeginning],
    ['relation', relationBeginning],
  ];
  return new Map([...ours, ...[...vocabulary.prefixes].filter(([, iri]) => absolute.test(iri))]);
}

/** Whether a text is an IRI with a scheme. */
export function isAbsolute(text: string): boolean {
  return absolute.test(text);
}

const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{C}<>"{}|^\u0060\\]*$/u;

// Of other keys with a colon most are none: `country:AND` would be taken for a prefixed name.
const scheme = /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/|(?:did|doi|info|mailto|tag|urn):)/;

const known = new WeakMap<Vocabulary, boolean>();

/** Whether the keys of a graph are IRIs, of whatever scheme: those of all its relations are, as in every import of RDF. */
function hasIriKeys(vocabulary: Vocabulary): boolean {
  let are = known.get(vocabulary);
  if (are === undefined) {
    const { relationCount, relation } = vocabulary;
    are = areIriKeys(Array.from({ length: relationCount / 2 }, (_, k) => relation(2 * k)));
    known.set(vocabulary, are);
  }
  return are;
}

/** Whether the keys of a graph with these relations are IRIs, of whatever scheme. */
export function areIriKeys(relations: readonly { readonly key: string }[]): boolean {
  return relations.length > 0 && relations.every(({ key }) => absolute.test(key));
}

/**
 * The IRI of a key: itself where it is one, else the key after that beginning, percent-encoded where it has to be.
 *
 * Where keys are not known to be IRIs, one of a scheme that is not known is none.
 */
export function keyIri(key: string, beginning: string, areIris = false): string {
  // A key that looks like ours would be read as the rest of it.
  if (absolute.test(key) && (areIris || scheme.test(key)) && !key.startsWith('urn:fuzzqe:')) return key;
  return beginning + key.replace(/[^\p{L}\p{M}\p{N}\-._~!$&'()*+,;=:@/]/gu, encodeURIComponent);
}

function nameBehind(iri: string, beginning: string): string {
  if (!iri.startsWith(beginning)) return `<${iri}>`;
  try {
    const name = decodeURIComponent(iri.slice(beginning.length));
    // A key with brackets of its own is not the key between these.
    return name.startsWith('<') ? `<${name}>` : name;
  } catch (cause) {
    throw new FuzzError(
      'vocabulary',
      `IRI: expected % and two hexadecimal digits, got ${JSON.stringify(iri)}`,
      {
        hint: 'A percent sign itself is written %25.',
        cause,
      },
    );
  }
}
