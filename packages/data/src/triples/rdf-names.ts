import type { NameEntry, Prefixes } from '@fuzzqe/core';

/** Takes what an RDF file says about names. */
export interface RdfNames {
  /** Takes a literal if its property gives labels, and says whether it does. */
  label(key: string, property: string, text: string, language: string): boolean;
  /** Takes `@prefix name: <iri>`. */
  prefix(name: string, iri: string): void;
  /** Takes a fact that may say that two keys share a label. */
  link(head: string, relation: string, tail: string): void;
  /** The key of a path of relations, which is labelled by their labels or local names. */
  path(relations: readonly string[]): string;
}

/** Names gathered from RDF files. */
export interface RdfNameTable extends RdfNames {
  /** The best label of each key that has one; of a path, the labels of its relations between slashes. */
  labels(): ReadonlyMap<string, NameEntry>;
  /** The prefixes that begin one of the keys: those of the files in their order, then well-known ones. */
  prefixesOf(...keys: readonly (readonly string[])[]): Prefixes;
}

/** The properties whose literals are labels, the one to prefer first. */
const labelProperties: readonly string[] = [
  'http://www.w3.org/2000/01/rdf-schema#label',
  'http://www.w3.org/2004/02/skos/core#prefLabel',
  'http://schema.org/name',
  'https://schema.org/name',
];

/** Leads from a property of Wikidata, which has labels, to the relation of its facts, which has none. */
const directClaim = 'http://wikiba.se/ontology#directClaim';

/** Each is looked for among all keys: a file of prefixes alone would take the square of its length. */
const mostPrefixes = 1000;

/** Of the initial context of RDFa 1.1, and of the graphs that most others refer to. */
const wellKnown: Prefixes = new Map([
  ['rdf', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'],
  ['rdfs', 'http://www.w3.org/2000/01/rdf-schema#'],
  ['owl', 'http://www.w3.org/2002/07/owl#'],
  ['skos', 'http://www.w3.org/2004/02/skos/core#'],
  ['dcterms', 'http://purl.org/dc/terms/'],
  ['foaf', 'http://xmlns.com/foaf/0.1/'],
  ['schema', 'http://schema.org/'],
  ['prov', 'http://www.w3.org/ns/prov#'],
  ['wd', 'http://www.wikidata.org/entity/'],
  ['wdt', 'http://www.wikidata.org/prop/direct/'],
  ['dbr', 'http://dbpedia.org/resource/'],
  ['dbo', 'http://dbpedia.org/ontology/'],
]);

/**
 * An empty table.
 *
 * Of several labels of a key: one in `language`, then in a variant of it (`en-GB` for `en`), without a language, in
 * another. Among these by the property: `rdfs:label`, `skos:prefLabel`, `schema:name`. Then the first. A prefix keeps
 * its first meaning; the first 1000 are kept.
 */
export function createRdfNames(language: string): RdfNameTable {
  const labels = new Map<string, NameEntry>();
  const merits = new Map<string, number>();
  const prefixes = new Map<string, string>();
  const wanted = language.toLowerCase();
  const languageMerit = (given: string): number =>
    given === wanted ? 4 : given.startsWith(`${wanted}-`) ? 3 : given === '' ? 2 : 1;
  /** Of keys without a label, the key whose label they take. */
  const sharing = new Map<string, string>();
  const paths = new Map<string, readonly string[]>();
  return {
    labels() {
      const all = new Map(labels);
      for (const [key, other] of sharing) {
        const entry = labels.get(other);
        if (entry !== undefined && !labels.has(key)) all.set(key, { ...entry, key });
      }
      for (const [key, relations] of paths) {
        const label = relations.map((each) => all.get(each)?.label ?? localName(each) ?? each).join('/');
        all.set(key, { key, label });
      }
      return all;
    },
    link(head, relation, tail) {
      if (relation === directClaim) sharing.set(tail, head);
    },
    path(relations) {
      const key = relations.join('/');
      if (!paths.has(key)) paths.set(key, [...relations]);
      return key;
    },
    label(key, property, label, tag) {
      const place = labelProperties.indexOf(property);
      if (place < 0) return false;
      const merit = languageMerit(tag.toLowerCase()) * labelProperties.length - place;
      if (label === '' || merit <= (merits.get(key) ?? Number.NEGATIVE_INFINITY)) return true;
      merits.set(key, merit);
      labels.set(key, { key, label });
      return true;
    },
    prefix(name, iri) {
      if (iri !== '' && !prefixes.has(name) && prefixes.size < mostPrefixes) prefixes.set(name, iri);
    },
    prefixesOf(...keys) {
      const stated = new Set(prefixes.values());
      const more = [...wellKnown].filter(([name, iri]) => !prefixes.has(name) && !stated.has(iri));
      const begins = ([, iri]: readonly [string, string]): boolean =>
        keys.some((some) => some.some((key) => key.startsWith(iri)));
      return new Map([...prefixes, ...more].filter(begins));
    },
  };
}

/**
 * Entries for the keys of RDF: with the names given for them, else the local name of an IRI as its label, else the key.
 *
 * The local name is what follows the last `#`, `/` or `:`, with `%20` and the like decoded. It is taken only where no
 * other key has it as its label or local name.
 */
export function rdfNameEntries(keys: readonly string[], names: ReadonlyMap<string, NameEntry>): NameEntry[] {
  const uses = new Map<string, number>();
  const labels = keys.map((key) => names.get(key)?.label ?? localName(key));
  for (const label of labels) if (label !== undefined) uses.set(label, (uses.get(label) ?? 0) + 1);
  return keys.map((key, i) => {
    const label = labels[i];
    return names.get(key) ?? { key, label: label !== undefined && uses.get(label) === 1 ? label : key };
  });
}

/** The last part of an IRI, decoded; undefined for blank nodes, and for IRIs that end before it. */
function localName(key: string): string | undefined {
  if (isBlankKey(key)) return undefined;
  const hash = key.lastIndexOf('#');
  const end = hash >= 0 ? hash : key.lastIndexOf('/');
  const local = key.slice((end >= 0 ? end : key.lastIndexOf(':')) + 1);
  if (local === '') return undefined;
  try {
    return decodeURIComponent(local);
  } catch {
    // Percent signs that encode nothing are part of the name.
    return local;
  }
}

/** Whether a key is that of a blank node. */
export function isBlankKey(key: string): boolean {
  return key.startsWith('_:');
}
