import { entityBeginning, keyIri, relationBeginning } from '@fuzzqe/core';
import type { FactChange, FactKeys } from '../store/fact-store.ts';
import { factText } from '../store/net-changes.ts';

/** Triples that changes come to, in the syntax of SPARQL. */
export interface FactTriples {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The triples of the last change of each fact. */
export function factTriples(changes: Iterable<FactChange>): FactTriples {
  const last = new Map<string, FactChange>();
  for (const change of changes) last.set(factText(change), change);
  const [added, removed]: [string[], string[]] = [[], []];
  for (const change of last.values()) (change.does === 'add' ? added : removed).push(tripleOf(change));
  return { added, removed };
}

/** A fact as a triple. If the relation is an IRI, the graph is one of RDF, whose keys are IRIs of any scheme. */
function tripleOf({ head, relation, tail }: FactKeys): string {
  const predicate = keyIri(wellFormed(relation), relationBeginning);
  const areIris = predicate === relation;
  const [subject, object] = [head, tail].map((key) => keyIri(wellFormed(key), entityBeginning, areIris));
  return `<${subject}> <${predicate}> <${object}>`;
}

/** No IRI has half of a character. */
function wellFormed(key: string): string {
  return key.replace(/\p{Cs}/gu, '\ufffd');
}
