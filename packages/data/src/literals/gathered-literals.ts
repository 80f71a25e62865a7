import type { AliasKind, EntityRows, NameEntry } from '@fuzzqe/core';
import { createKeyBatch } from '../triples/key-batch.ts';
import type { TripleNames } from '../triples/triple-names.ts';
import { createRowSorter } from './sorted-rows.ts';
import { createSpool, type Spool } from './spool.ts';

/** Takes what is said of keys in texts, before anyone knows which of them are entities. */
export interface LiteralSink {
  name(key: string, kind: AliasKind, language: string, text: string): void;
}

/** What was said of the entities of a graph. */
export interface EntityLiterals {
  readonly aliases: EntityRows;
}

/** Texts of keys, which wait in a spool. */
export interface GatheredLiterals extends LiteralSink {
  /** Keeps what is said of the entities; a name that is the label, or a description that is the entity's, is not repeated. */
  finish(names: TripleNames, entities: readonly NameEntry[]): EntityLiterals;
}

/** Nothing yet. Memory: a MiB, and the memory of `createRowSorter` at the end. */
export function gatherLiterals(): GatheredLiterals {
  const spool = createSpool();
  const add = (row: Row): void => {
    spool.add(`${JSON.stringify(row)}\n`);
  };
  return {
    name: (...row) => add(row),
    finish(names, entities) {
      const aliases = createRowSorter();
      for (const [id, [, kind, language, text]] of withIds(spool, names)) {
        const { label, description } = entities[id]!;
        if (text !== (kind === 'description' ? description : label)) aliases.add(id, [kind, language, text]);
      }
      const entityCount = entities.length;
      return {
        aliases: aliases.finish({ entityCount, path: 'aliases.tsv', fields: ['kind', 'language', 'text'] }),
      };
    },
  };
}

type Row = Parameters<LiteralSink['name']>;

const batchRows = 256;

/** The rows of a spool whose keys are entities. */
function* withIds(spool: Spool, names: TripleNames): Generator<readonly [id: number, row: Row]> {
  const batch = createKeyBatch(batchRows);
  const ids = new Int32Array(batchRows);
  let rows: Row[] = [];
  function* taken(): Generator<readonly [id: number, row: Row]> {
    names.entities(batch, ids);
    for (const [i, row] of rows.entries()) if (ids[i]! >= 0) yield [ids[i]!, row];
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
