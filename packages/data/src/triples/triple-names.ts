import type { NameEntry } from '@fuzzqe/core';
import type { KeyBatch } from './key-batch.ts';
import { createKeyTable } from './key-table.ts';
import type { KnownNames } from './rdf-names.ts';

/** Turns the names in a file of triples into ids. */
export interface TripleNames {
  /** Finds the ids of the names of a batch, in their order; -1 for one that is not known. */
  entities(names: KeyBatch, ids: Int32Array): void;
  /** Finds the id of the name that stands in `bytes[start … end)`; -1 for one that is not known. */
  relation(bytes: Uint8Array, start: number, end: number): number;
  /** What to do about a name that is not known. */
  readonly hint: string;
}

/** Names that are numbered as they appear. */
export interface NameTable extends TripleNames {
  /** The keys so far, in the order of their ids. */
  entityKeys(): string[];
  relationKeys(): string[];
  /** The names so far, and no more. */
  known(): TripleNames;
}

/** Takes every name as a key and gives it the next id; relations get the even ones. */
export function createNameTable(): NameTable {
  const entities = createKeyTable();
  const relations = createKeyTable();
  return {
    hint: '',
    entities: entities.addAll,
    relation: (bytes, start, end) => relations.add(bytes, start, end) * 2,
    entityKeys: entities.keys,
    relationKeys: relations.keys,
    known: () => ({
      hint: 'What no training fact names cannot be learned: drop such lines (--drop-unseen), or move them to training.',
      entities: entities.findAll,
      relation(bytes, start, end) {
        const id = relations.find(bytes, start, end);
        return id < 0 ? -1 : id * 2;
      },
    }),
  };
}

/** Which ids a file of triples may name. */
export interface IdBounds {
  readonly entityCount: number;
  /** Inverses included. */
  readonly relationCount: number;
  /** Whether the file numbers forward relations only: 0, 1, 2, … for 0, 2, 4, … Default false. */
  readonly forwardOnly?: boolean;
}

/** Takes names as ids: decimal numbers, those of relations with inverses unless only forward ones are numbered. */
export function numericIds({ entityCount, relationCount, forwardOnly = false }: IdBounds): TripleNames {
  const written = forwardOnly ? relationCount / 2 : relationCount;
  return {
    hint: `Entities have ids in [0, ${entityCount}) and relations${forwardOnly ? '' : ', inverses included,'} in [0, ${written}).`,
    entities(names, ids) {
      const { count, bytes, ends } = names;
      for (let i = 0; i < count; i++) ids[i] = idBelow(entityCount, bytes, ends[i]!, ends[i + 1]!);
    },
    relation(bytes, start, end) {
      const id = idBelow(written, bytes, start, end);
      return forwardOnly && id >= 0 ? id * 2 : id;
    },
  };
}

function idBelow(count: number, bytes: Uint8Array, start: number, end: number): number {
  if (end === start || end - start > 10) return -1;
  let id = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i]! - 0x30;
    if (digit < 0 || digit > 9) return -1;
    id = id * 10 + digit;
  }
  return id < count ? id : -1;
}

/** Entries for keys: with the names given for them, else with the key as label. */
export function nameEntries(keys: readonly string[], names: KnownNames): NameEntry[] {
  return keys.map((key) => ({ key, label: key, ...names.get(key) }));
}
