import type { EntityId, RelationId, Vocabulary } from '@fuzzqe/core';
import { entityIri, knownPrefixes, relationIri } from '../names/key-iris.ts';

/** Writes IRIs by prefixes, and remembers which. */
export interface IriWriter {
  entity(id: EntityId): string;
  /** The relation of the data, whichever direction is given. */
  relation(id: RelationId): string;
  /** `PREFIX …` for every prefix that was written. */
  prefixes(): string[];
}

// Letters beyond ASCII are in <…>: the ranges of SPARQL are not those of Unicode.
const localName =
  /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:(?:[A-Za-z0-9_.-]|%[0-9A-Fa-f]{2})*(?:[A-Za-z0-9_-]|%[0-9A-Fa-f]{2}))?$/;
const prefixName = /^(?:[A-Za-z](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?)?$/;

/** Writes the IRIs of a vocabulary by its prefixes, `entity:` and `relation:`. */
export function createIriWriter(vocabulary: Vocabulary): IriWriter {
  const usable = [...knownPrefixes(vocabulary)].filter(([name]) => prefixName.test(name));
  const used = new Map<string, string>();
  const write = (iri: string): string => {
    let best: readonly [name: string, beginning: string] | undefined;
    for (const each of usable)
      if (iri.startsWith(each[1]) && each[1].length > (best?.[1].length ?? 0)) best = each;
    if (best === undefined) return `<${iri}>`;
    const local = iri.slice(best[1].length);
    // A name longer than the limit of a text would not be read again.
    if (!localName.test(local) || local.length > 100) return `<${iri}>`;
    used.set(...best);
    return `${best[0]}:${local}`;
  };
  return {
    entity: (id) => write(entityIri(id, vocabulary)),
    relation: (id) => write(relationIri(id, vocabulary)),
    prefixes: () => [...used].map(([name, iri]) => `PREFIX ${name}: <${iri}>`),
  };
}
