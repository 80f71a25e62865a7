import {
  type EntityId,
  entityBeginning,
  FuzzError,
  isAbsoluteIri,
  keyIri,
  type Prefixes,
  type RelationId,
  relationBeginning,
  type Vocabulary,
} from '@fuzzqe/core';
import { xsd } from '../terms/rdf-term.ts';
import { attributeBeginning, rdfs, skos } from '../terms/text-iris.ts';

/** What finds entities and relations by their names. */
export type FindsNames = Pick<Vocabulary, 'findEntity' | 'findRelation' | 'prefixes'>;

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
export function findEntity(iri: string, vocabulary: FindsNames): EntityId {
  return vocabulary.findEntity(nameBehind(iri, entityBeginning));
}

/** The relation of the data that an IRI stands for; after `urn:fuzzqe:relation:`, a label will do. */
export function findRelation(iri: string, vocabulary: FindsNames): RelationId {
  return vocabulary.findRelation(nameBehind(iri, relationBeginning));
}

/** The prefixes that a query need not declare: those of the graph that stand for IRIs, ours, and those of names and datatypes. */
export function knownPrefixes(vocabulary: Pick<FindsNames, 'prefixes'>): Prefixes {
  const ours: [string, string][] = [
    ['entity', entityBeginning],
    ['relation', relationBeginning],
    ['attribute', attributeBeginning],
    ['rdfs', rdfs],
    ['skos', skos],
    ['xsd', xsd],
  ];
  return new Map([...ours, ...[...vocabulary.prefixes].filter(([, iri]) => isAbsoluteIri(iri))]);
}

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
  return relations.length > 0 && relations.every(({ key }) => isAbsoluteIri(key));
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
