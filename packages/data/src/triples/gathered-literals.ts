import type { EntityRows, NameEntry } from '@fuzzqe/core';
import type { AliasKind, AttributeColumn, Attributes, AttributeType } from '@fuzzqe/names';
import type { LiteralSink } from '../literals/literal-sink.ts';
import { createSpool, type Spool } from '../literals/spool.ts';
import { createKeyBatch } from './key-batch.ts';
import { type KnownNames, type RdfNameTable, rdfNameEntries } from './rdf-names.ts';
import { createRowSorter } from './sorted-rows.ts';
import type { TripleNames } from './triple-names.ts';

/** What was said of the entities of a graph. */
export interface EntityLiterals {
  readonly aliases: EntityRows;
  readonly attributes: Attributes;
  /** How many values were of keys that are no entities. */
  readonly lost: number;
}

/** Literals of keys, which wait in a spool. */
export interface GatheredLiterals extends LiteralSink {
  /**
   * Keeps what is said of the entities; a name that is the label, or a description that is the entity's, is not repeated.
   *
   * @param rdfNames labels of properties, and units of quantities.
   */
  finish(names: TripleNames, entities: readonly NameEntry[], rdfNames: RdfNameTable): EntityLiterals;
}

/** Nothing yet. Memory: a few MiB, and the memory of `createRowSorter` at the end. */
export function gatherLiterals(): GatheredLiterals {
  const spool = createSpool();
  const add = (row: Row): void => {
    spool.add(`${JSON.stringify(row)}\n`);
  };
  return {
    name: (key, kind, language, text) => add([key, kind, language, text]),
    value: (key, property, { type, language, unit }, text) =>
      add([key, 'value', language, text, property, type, unit]),
    finish(names, entities, rdfNames) {
      const aliases = createRowSorter();
      const values = createRowSorter();
      const columns = createColumns();
      let lost = 0;
      for (const [id, row] of withIds(spool, names)) {
        const [key, kind, language, text] = row;
        if (kind === 'value') {
          if (id < 0) lost++;
          else {
            const [, , , , property, type, unit] = row;
            const withUnit = unit || rdfNames.unit(key, property);
            values.add(id, [String(columns.numberOf({ property, type, language, unit: withUnit })), text]);
          }
        } else if (id >= 0) {
          const { label, description } = entities[id]!;
          if (text !== (kind === 'description' ? description : label))
            aliases.add(id, [kind, language, text]);
        }
      }
      const entityCount = entities.length;
      return {
        aliases: aliases.finish({ entityCount, path: 'aliases.tsv', fields: ['kind', 'language', 'text'] }),
        attributes: {
          columns: columns.named(rdfNames.known()),
          rows: values.finish({
            entityCount,
            path: 'attribute-values.tsv',
            fields: ['column', 'value'],
          }),
        },
        lost,
      };
    },
  };
}

type NameRow = readonly [key: string, kind: AliasKind, language: string, text: string];
type ValueRow = readonly [
  ...[key: string, kind: 'value', language: string, text: string],
  ...[property: string, type: AttributeType, unit: string],
];
type Row = NameRow | ValueRow;

/** The columns of values, numbered as they first appear. */
function createColumns(): {
  numberOf(column: Omit<AttributeColumn, 'label' | 'key'> & { readonly property: string }): number;
  named(known: KnownNames): AttributeColumn[];
} {
  const numbers = new Map<string, number>();
  const columns: Omit<AttributeColumn, 'label'>[] = [];
  return {
    numberOf({ property: key, type, language, unit }) {
      const name = JSON.stringify([key, type, language, unit]);
      const number = numbers.get(name) ?? columns.push({ key, type, language, unit }) - 1;
      numbers.set(name, number);
      return number;
    },
    named(known) {
      const keys = [...new Set(columns.map(({ key }) => key))];
      const labels = new Map(rdfNameEntries(keys, known).map(({ key, label }) => [key, label]));
      return columns.map((column) => ({ ...column, label: labels.get(column.key) ?? column.key }));
    },
  };
}

const batchRows = 256;

/** The rows of a spool with the ids of their keys, or -1. */
function* withIds(spool: Spool, names: TripleNames): Generator<readonly [id: number, row: Row]> {
  const batch = createKeyBatch(batchRows);
  const ids = new Int32Array(batchRows);
  let rows: Row[] = [];
  function* taken(): Generator<readonly [id: number, row: Row]> {
    names.entities(batch, ids);
    for (const [i, row] of rows.entries()) yield [ids[i]!, row];
    batch.clear();
    rows = [];
  }
  for (const line of linesOf(spool)) {
    // Written above.
    const row = JSON.parse(line) as Row;
    const key = Buffer.from(row[0]);
    batch.push(key, 0, key.length);
    if (rows.push(row) === batchRows) yield* taken();
  }
  yield* taken();
}

function* linesOf(spool: Spool): Generator<string> {
  const blockBytes = 2 ** 16;
  let rest: Buffer = Buffer.alloc(0);
  for (let at = 0; at < spool.length; at += blockBytes) {
    const block = Buffer.concat([rest, spool.read(at, Math.min(at + blockBytes, spool.length))]);
    let start = 0;
    for (let end = block.indexOf(0x0a, rest.length); end >= 0; end = block.indexOf(0x0a, start)) {
      yield block.toString('utf8', start, end);
      start = end + 1;
    }
    rest = block.subarray(start);
  }
}
