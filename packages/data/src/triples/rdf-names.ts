import type { NameEntry, Prefixes } from '@fuzzqe/core';
import { type AliasKind, aliasKinds } from '@fuzzqe/names';
import type { LiteralSink } from '../literals/literal-sink.ts';
import { createQuantityUnits } from './quantity-units.ts';

/** Takes what an RDF file says about names. */
export interface RdfNames {
  /** Takes a literal if its property gives names or descriptions, and says whether it does. */
  text(literal: NameLiteral): boolean;
  /** Takes `@prefix name: <iri>`. */
  prefix(name: string, iri: string): void;
  /** Takes a fact that may say that two keys share a label, or what the unit of a quantity is. */
  link(head: string, relation: string, tail: string): void;
  /** The key of a path of relations, which is labelled by their labels or local names. */
  path(relations: readonly string[]): string;
  /** The label or local name of the unit of a number that a node has by a property; empty if there is none. */
  unit(node: string, property: string): string;
}

/** A literal that may be a name. */
export interface NameLiteral {
  readonly key: string;
  readonly property: string;
  readonly text: string;
  /** Empty where it has none. */
  readonly language: string;
  /** The file that states it. */
  readonly path: string;
}

/** What is known of a key: its best label and description. */
export interface KnownName {
  readonly label?: string;
  readonly description?: string;
}

/** Where what is known of keys is looked up. */
export interface KnownNames {
  get(key: string): KnownName | undefined;
}

/** Names gathered from RDF files. */
export interface RdfNameTable extends RdfNames {
  /** The best label and description of a key that has one; of a path, the labels of its relations between slashes. */
  known(): KnownNames;
  /** Labels of a key by which two files disagree, in sentences. */
  disagreements(): string[];
  /** The prefixes that begin one of the keys: those of the files in their order, then well-known ones. */
  prefixesOf(...keys: readonly (readonly string[])[]): Prefixes;
}

const [rdfs, skos] = ['http://www.w3.org/2000/01/rdf-schema#', 'http://www.w3.org/2004/02/skos/core#'];

/** The properties whose literals are names and descriptions; of each kind, the one to prefer first. */
const propertiesOf: Readonly<Record<AliasKind, readonly string[]>> = {
  label: [`${rdfs}label`, `${skos}prefLabel`, 'http://schema.org/name', 'https://schema.org/name'],
  alias: [
    `${skos}altLabel`,
    'http://schema.org/alternateName',
    'https://schema.org/alternateName',
    `${skos}hiddenLabel`,
  ],
  description: [
    'http://schema.org/description',
    'https://schema.org/description',
    `${skos}definition`,
    `${rdfs}comment`,
    'http://purl.org/dc/terms/description',
  ],
};

const meanings: ReadonlyMap<string, { readonly kind: AliasKind; readonly place: number }> = new Map(
  aliasKinds.flatMap((kind) => propertiesOf[kind].map((property, place) => [property, { kind, place }])),
);

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

/** The best text of a kind so far. */
interface BestText {
  readonly text: string;
  readonly language: string;
  readonly merit: number;
  readonly path: string;
}

/**
 * An empty table, which gives other names and descriptions than the best to a sink.
 *
 * Of several labels of a key: one in `language`, then in a variant of it (`en-GB` for `en`), without a language, in
 * another. Among these by the property: `rdfs:label`, `skos:prefLabel`, `schema:name`. Then the first. Descriptions
 * likewise. A prefix keeps its first meaning; the first 1000 are kept.
 */
export function createRdfNames(language: string, others?: LiteralSink): RdfNameTable {
  const best: Readonly<Record<'label' | 'description', Map<string, BestText>>> = {
    label: new Map(),
    description: new Map(),
  };
  const prefixes = new Map<string, string>();
  const wanted = language.toLowerCase();
  const languageMerit = (given: string): number =>
    given === wanted ? 4 : given.startsWith(`${wanted}-`) ? 3 : given === '' ? 2 : 1;
  /** Of keys without a label, the key whose label they take. */
  const sharing = new Map<string, string>();
  const paths = new Map<string, readonly string[]>();
  const disagreeing = new Map<string, { count: number; readonly first: string }>();
  const units = createQuantityUnits();
  const labelOf = (key: string): string | undefined =>
    (best.label.get(key) ?? best.label.get(sharing.get(key) ?? ''))?.text;
  return {
    unit(node, property) {
      const unit = units.of(node, property);
      return unit === undefined ? '' : (labelOf(unit) ?? localName(unit) ?? unit);
    },
    known() {
      return {
        get(key) {
          const label =
            paths
              .get(key)
              ?.map((each) => labelOf(each) ?? localName(each) ?? each)
              .join('/') ?? labelOf(key);
          const description = best.description.get(key)?.text;
          if (label === undefined && description === undefined) return undefined;
          return {
            ...(label === undefined ? {} : { label }),
            ...(description === undefined ? {} : { description }),
          };
        },
      };
    },
    disagreements: () =>
      [...disagreeing].map(([files, { count, first }]) => `${files} disagree on ${count} labels: ${first}`),
    link(head, relation, tail) {
      if (relation === directClaim) sharing.set(tail, head);
      units.link(head, relation, tail);
    },
    path(relations) {
      const key = relations.join('/');
      if (!paths.has(key)) paths.set(key, [...relations]);
      return key;
    },
    text({ key, property, text, language: tag, path }) {
      const meaning = meanings.get(property);
      if (meaning === undefined) return false;
      const { kind, place } = meaning;
      if (text.trim() === '') return true;
      if (kind === 'alias') {
        others?.name(key, kind, tag, text);
        return true;
      }
      const merit = languageMerit(tag.toLowerCase()) * propertiesOf[kind].length - place;
      const before = best[kind].get(key);
      if (before === undefined || merit > before.merit) {
        best[kind].set(key, { text, language: tag, merit, path });
        if (before !== undefined) others?.name(key, kind, before.language, before.text);
        return true;
      }
      if (text === before.text) return true;
      others?.name(key, kind, tag, text);
      if (kind === 'label' && merit === before.merit && path !== before.path) {
        const files = `${before.path} and ${path}`;
        const first = `${JSON.stringify(before.text)} is kept for ${key}, ${JSON.stringify(text)} is a further name`;
        const noted = disagreeing.get(files);
        if (noted === undefined) disagreeing.set(files, { count: 1, first });
        else noted.count++;
      }
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
export function rdfNameEntries(keys: readonly string[], names: KnownNames): NameEntry[] {
  const uses = new Map<string, number>();
  const labels = keys.map((key) => names.get(key)?.label ?? localName(key));
  for (const label of labels) if (label !== undefined) uses.set(label, (uses.get(label) ?? 0) + 1);
  return keys.map((key, i) => {
    const label = labels[i];
    const { label: given, description } = names.get(key) ?? {};
    return {
      key,
      label: given ?? (label !== undefined && uses.get(label) === 1 ? label : key),
      ...(description === undefined ? {} : { description }),
    };
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
