import { type EntityRows, FuzzError } from '@fuzzqe/core';
import { escapeField, readField } from './tsv-field.ts';

/** Every runtime has it; the types of this package are those of the language alone. */
declare class TextDecoder {
  constructor(encoding: 'utf-8', options: { readonly ignoreBOM: boolean; readonly fatal: boolean });
  decode(bytes: Uint8Array): string;
}

/** What the rows of a file look like. */
export interface EntityRowsForm {
  readonly path: string;
  readonly entityCount: number;
  /** The fields after the id. */
  readonly fields: readonly string[];
  /** Says what is wrong with the fields of a row, if anything is. */
  readonly wrong?: (fields: readonly string[]) => string | undefined;
}

/** No rows. */
export const noEntityRows: EntityRows = { count: 0, of: () => [], texts: () => [] };

/** Writes a row: `id TAB field …`, with the escapes of `readEntitiesTsv`. */
export function entityRowText(id: number, fields: readonly string[]): string {
  return `${id}\t${fields.map(escapeField).join('\t')}\n`;
}

/**
 * Reads rows in the order of their ids: `id TAB field …`. The bytes are read, and indexed, when rows are first asked for.
 *
 * Memory: the bytes, and 4 for each entity.
 *
 * @throws FuzzError `data` with `path:line`, when rows are asked for: an id that is out of order or none of an entity, another
 *   number of fields, an unknown escape, a last line without its end.
 */
export function readEntityRows(read: () => Uint8Array, form: EntityRowsForm): EntityRows {
  const { path, entityCount, fields } = form;
  let known: RowIndex | undefined;
  const index = (): RowIndex => {
    known ??= indexRows(read(), form);
    return known;
  };
  const textOf = (from: number, to: number): string => {
    try {
      return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(
        index().bytes.subarray(from, to),
      );
    } catch (cause) {
      if (cause instanceof FuzzError) throw cause;
      throw new FuzzError('data', 'rows: expected UTF-8, got other bytes', {
        path,
        hint: 'The file is damaged: import or export the graph again.',
        cause,
      });
    }
  };
  return {
    get count() {
      return index().count;
    },
    of(id) {
      const { starts } = index();
      const [from, to] = [starts[id] ?? 0, starts[id + 1] ?? 0];
      if (from >= to) return [];
      return textOf(from, to - 1)
        .split('\n')
        .map((line) => {
          const row = line
            .split('\t')
            .slice(1)
            .map((field) => readField(field, path));
          const fault = row.length === fields.length ? form.wrong?.(row) : `${row.length + 1} fields`;
          if (fault === undefined) return row;
          throw new FuzzError(
            'data',
            `row of entity ${id}: expected id, ${fields.join(', ')}, got ${fault}`,
            {
              path,
              hint: `A line is: id TAB ${fields.join(' TAB ')}.`,
            },
          );
        });
    },
    *texts() {
      const { starts } = index();
      for (let id = 0, from = 0; id < entityCount; id++) {
        const to = starts[id + 1]!;
        if (to === from || (to - from < piece && id + 1 < entityCount)) continue;
        yield textOf(from, to);
        from = to;
      }
    },
  };
}

/** Bytes of the texts of a file. */
const piece = 2 ** 16;

interface RowIndex {
  readonly bytes: Uint8Array;
  /** Where the rows of each entity begin, and where the last ones end. */
  readonly starts: Uint32Array;
  readonly count: number;
}

function indexRows(bytes: Uint8Array, { path, entityCount, fields }: EntityRowsForm): RowIndex {
  const starts = new Uint32Array(entityCount + 1);
  let count = 0;
  /** Entities whose beginning is known. */
  let next = 0;
  const bad = (got: string): FuzzError =>
    new FuzzError('data', `row: expected the id of an entity, in order, got ${got}`, {
      path: `${path}:${count + 1}`,
      hint: `A line is: id TAB ${fields.join(' TAB ')}. Lines stand in the order of the ids.`,
    });
  if (bytes.length > 0xffff_ffff) throw bad('a file of more than 4 GiB');
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf(0x0a, at);
    const tab = bytes.indexOf(0x09, at);
    const digits = tab < 0 || tab > at + 10 ? '' : String.fromCharCode(...bytes.subarray(at, tab));
    const id = Number(digits);
    if (lineEnd < 0) throw bad('a line without its end');
    if (!/^(?:0|[1-9]\d*)$/.test(digits) || tab > lineEnd || id >= entityCount || id < next - 1)
      throw bad(JSON.stringify(digits));
    while (next <= id) starts[next++] = at;
    count++;
    at = lineEnd + 1;
  }
  starts.fill(bytes.length, next);
  return { bytes, starts, count };
}
