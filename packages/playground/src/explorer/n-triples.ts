import { FuzzError } from '@fuzzqe/core';
import { entityBeginning, isAbsolute, keyIri, relationBeginning } from '@fuzzqe/sparql/format';
import type { SuggestedFact } from './desk.ts';

/** How IRIs begin of keys that are none, unless another beginning is wanted: as `/sparql` writes them. */
export const usualBeginnings: Beginnings = { entity: entityBeginning, relation: relationBeginning };

/** How the IRIs begin of entities and relations whose keys are no IRIs. */
export interface Beginnings {
  readonly entity: string;
  readonly relation: string;
}

/** The beginnings below one base: `http://example.org/` gives `http://example.org/entity/` and `…/relation/`. */
export function beginningsBelow(base: string): Beginnings {
  const trimmed = base.trim();
  if (trimmed === '') return usualBeginnings;
  if (!isAbsolute(trimmed)) {
    throw new FuzzError('usage', `base: expected an IRI with a scheme, got ${JSON.stringify(trimmed)}`, {
      hint: 'For example http://example.org/graph/.',
    });
  }
  const folder = /[/#:]$/.test(trimmed) ? trimmed : `${trimmed}/`;
  return { entity: `${folder}entity/`, relation: `${folder}relation/` };
}

/**
 * Facts as N-Triples, one a line, each once: keys that are IRIs as they are, others behind their beginning and percent-encoded.
 *
 * @param areIris whether the keys of the graph are IRIs, of whatever scheme: `areIriKeys`.
 *
 * Source: https://www.w3.org/TR/n-triples/.
 */
export function writeNTriples(
  facts: readonly SuggestedFact[],
  beginnings: Beginnings = usualBeginnings,
  areIris = false,
): string {
  const lines = facts.map(({ head, relation, tail }) =>
    [
      `<${keyIri(head.key, beginnings.entity, areIris)}>`,
      `<${keyIri(relation.key, beginnings.relation, areIris)}>`,
      `<${keyIri(tail.key, beginnings.entity, areIris)}> .\n`,
    ].join(' '),
  );
  return [...new Set(lines)].join('');
}
