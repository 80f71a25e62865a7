import type { EntityRows } from '@fuzzqe/core';
import { entityRowText, readEntityRows } from '@fuzzqe/names';
import { createSpool } from '../literals/spool.ts';
import { createIntList } from './int-list.ts';

/** Gathers rows of entities in any order. */
export interface RowSorter {
  add(id: number, fields: readonly string[]): void;
  /** The rows in the order of their ids, each once. */
  finish(form: {
    readonly entityCount: number;
    readonly path: string;
    readonly fields: readonly string[];
  }): EntityRows;
}

/** No rows yet. Memory: 16 bytes a row; the rows are in a spool. */
export function createRowSorter(): RowSorter {
  const spool = createSpool();
  const ids = createIntList();
  const lengths = createIntList();
  const hashes = createIntList();
  return {
    add(id, fields) {
      const text = entityRowText(id, fields);
      ids.push(id);
      lengths.push(spool.add(text));
      hashes.push(hashOf(text));
    },
    finish(form) {
      const starts = new Float64Array(ids.length + 1);
      lengths.values().forEach((length, row) => {
        starts[row + 1] = starts[row]! + length;
      });
      const rowBytes = (row: number): Buffer => spool.read(starts[row]!, starts[row + 1]!);
      const order = distinct(
        sortedById(ids.values(), form.entityCount),
        ids.values(),
        hashes.values(),
        (a, b) => {
          const first = Buffer.from(rowBytes(a));
          return first.equals(rowBytes(b));
        },
      );
      function* texts(): Generator<string> {
        let text = '';
        for (const row of order) {
          text += rowBytes(row).toString();
          if (text.length < 2 ** 16) continue;
          yield text;
          text = '';
        }
        if (text !== '') yield text;
      }
      const inMemory = readEntityRows(
        () => Buffer.concat(Array.from(texts(), (text) => Buffer.from(text))),
        form,
      );
      return { count: order.length, texts, of: inMemory.of };
    },
  };
}

/** Rows by the ids of their entities; rows of one entity stay in their order. */
function sortedById(ids: Int32Array, entityCount: number): Int32Array {
  const next = new Int32Array(entityCount + 1);
  for (const id of ids) next[id + 1]! += 1;
  for (let id = 0; id < entityCount; id++) next[id + 1]! += next[id]!;
  const order = new Int32Array(ids.length);
  ids.forEach((id, row) => {
    order[next[id]!++] = row;
  });
  return order;
}

/** The rows that no earlier row of their entity equals. */
function distinct(
  order: Int32Array,
  ids: Int32Array,
  hashes: Int32Array,
  areEqual: (a: number, b: number) => boolean,
): Int32Array {
  let kept = 0;
  let seen = new Map<number, number[]>();
  let last = -1;
  for (const row of order) {
    if (ids[row] !== last) seen = new Map();
    last = ids[row]!;
    const alike = seen.get(hashes[row]!) ?? [];
    if (alike.some((other) => areEqual(other, row))) continue;
    seen.set(hashes[row]!, [...alike, row]);
    order[kept++] = row;
  }
  return order.subarray(0, kept);
}

/** FNV-1a of the first letters: rows that differ later are compared. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  for (let i = 0; i < text.length && i < 256; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
