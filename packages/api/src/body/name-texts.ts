import type { NameEntry } from '@fuzzqe/core';

/** An entity that is written with its names. */
interface NamedEntity extends NameEntry {
  readonly id: number;
}

/** Writes the beginning of an entity as JSON: `{"id":7,"key":"FRA","label":"France"`. */
export type NameTexts = (entity: NamedEntity) => string;

interface KeptText extends NameEntry {
  readonly text: string;
}

/** Bytes that kept texts may take; beyond them all are forgotten, and the entities that are asked for come back. */
const mostBytes = 2 ** 23;

/** Bytes of a kept text in addition to those of its characters. */
const bytesOfEntry = 128;

/** Texts of names, each kept as long as its entity has these names: names may change. */
export function createNameTexts(most: number = mostBytes): NameTexts {
  const kept = new Map<number, KeptText>();
  let bytes = 0;
  return ({ id, key, label }) => {
    const known = kept.get(id);
    if (known !== undefined && known.key === key && known.label === label) return known.text;
    const text = `{"id":${id},"key":${JSON.stringify(key)},"label":${JSON.stringify(label)}`;
    bytes += bytesOfEntry + 2 * text.length;
    if (bytes > most) {
      kept.clear();
      bytes = bytesOfEntry + 2 * text.length;
    }
    kept.set(id, { key, label, text });
    return text;
  };
}
