import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import { entityIri, findEntity, findRelation, relationIri } from '../names/key-iris.ts';
import { iriTerm, type RdfTerm } from '../terms/rdf-term.ts';

/** The terms that stand for entities and relations, by their ids and back. */
export interface GraphNames {
  /** Undefined: the graph does not have it. */
  entity(term: RdfTerm): number | undefined;
  relation(iri: string): number | undefined;
  entityTerm(id: number): RdfTerm;
  relationTerm(id: number): RdfTerm;
  /** All relations of the data. */
  relations(): readonly number[];
}

/** Terms and ids of a graph, each found once. */
export function graphNames(vocabulary: Vocabulary): GraphNames {
  // IRIs of a graph have keys: labels need no index, and no near name is looked for.
  const names = vocabulary.offering(
    () => undefined,
    () => {
      throw new FuzzError('vocabulary', 'no such key');
    },
  );
  const found = <Id extends number>(find: (iri: string) => Id, iriOf: (id: Id) => string) => {
    const known = new Map<string, Id | undefined>();
    return (iri: string): Id | undefined => {
      if (known.has(iri)) return known.get(iri);
      let id: Id | undefined;
      try {
        id = find(iri);
      } catch (error) {
        if (!(error instanceof FuzzError)) throw error;
      }
      // A label is no key.
      if (id !== undefined && iriOf(id) !== iri) id = undefined;
      known.set(iri, id);
      return id;
    };
  };
  const terms = <Id extends number>(iriOf: (id: Id) => string) => {
    const known = new Map<number, RdfTerm>();
    return (id: number): RdfTerm => {
      const term = known.get(id) ?? iriTerm(iriOf(id as Id));
      known.set(id, term);
      return term;
    };
  };
  const entity = found(
    (iri) => findEntity(iri, names),
    (id) => entityIri(id, vocabulary),
  );
  return {
    entity: (term: RdfTerm) => (term.type === 'uri' ? entity(term.value) : undefined),
    relation: found(
      (iri) => findRelation(iri, names),
      (id) => relationIri(id, vocabulary),
    ),
    entityTerm: terms((id: Parameters<typeof entityIri>[0]) => entityIri(id, vocabulary)),
    relationTerm: terms((id: Parameters<typeof relationIri>[0]) => relationIri(id, vocabulary)),
    relations: () => Array.from({ length: vocabulary.relationCount / 2 }, (_, k) => 2 * k),
  };
}
