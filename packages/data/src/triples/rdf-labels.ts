import type { NameEntry } from '@fuzzqe/core';
import type { RdfLabels } from './read-rdf.ts';

/** Labels gathered from RDF, the best for each key. */
export interface LabelTable extends RdfLabels {
  readonly names: ReadonlyMap<string, NameEntry>;
}

/** Of several labels the one in `language` is taken, else one without a language, else the first. */
export function createLabelTable(language: string): LabelTable {
  const names = new Map<string, NameEntry>();
  const merits = new Map<string, number>();
  const wanted = language.toLowerCase();
  return {
    names,
    add(key, label, tag) {
      const given = tag.toLowerCase();
      // `en-GB` is English, too.
      const merit = given === wanted ? 4 : given.startsWith(`${wanted}-`) ? 3 : given === '' ? 2 : 1;
      if (merit <= (merits.get(key) ?? 0)) return;
      merits.set(key, merit);
      names.set(key, { key, label });
    },
  };
}
