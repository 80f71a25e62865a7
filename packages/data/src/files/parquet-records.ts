import type { FileHandle } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { FuzzError, messageOf } from '@fuzzqe/core';
import { openRegularFile, raiseLimit, readError, readLimits, systemErrorCode } from '@fuzzqe/files';
import {
  type AsyncBuffer,
  type Compressors,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
} from 'hyparquet';
import { ZSTDDecoder } from 'zstddec/stream';
import { archivePlaceOf } from './archives.ts';
import type { DelimitedRecord } from './delimited.ts';
import { packingOf } from './packings.ts';

/**
 * Reads a Parquet file row by row: the titles of its columns as the first record, then its rows; empty for null.
 *
 * Columns of lists and of structures are passed over. The line of a row is its number and one more, as in a table with titles.
 * Memory: a row group.
 *
 * @throws FuzzError `data`: no Parquet file, a damaged one, or one whose row groups are larger than `readLimits` admits a
 *   file; a form of compression that is not read. Whatever `visit` throws.
 */
export async function forEachParquetRecord(
  path: string,
  visit: (record: DelimitedRecord) => void,
  onRead?: (bytes: number) => void,
): Promise<void> {
  if (packingOf(path) !== undefined || (await archivePlaceOf(path)) !== undefined)
    throw new FuzzError('data', 'Parquet: expected a file that is read in any order, got a compressed one', {
      path,
      hint: 'Unpack it first: Parquet is compressed inside.',
    });
  const { handle, bytes } = await openRegularFile(path);
  let told = 0;
  let thrown: { readonly error: unknown } | undefined;
  const { record, fill } = createRowRecord();
  const give = (cells: readonly unknown[], line: number): void => {
    fill(cells, line);
    try {
      visit(record);
    } catch (error) {
      // Told apart from errors of the parser, which arrive at the same place.
      thrown = { error };
      throw error;
    }
  };
  try {
    const decoder = new ZSTDDecoder();
    await decoder.init();
    const file = bufferOf(handle, bytes);
    await expectMagic(path, file);
    const metadata = await parquetMetadataAsync(file);
    const columns = parquetSchema(metadata)
      .children.filter(
        ({ children, element }) => children.length === 0 && element.repetition_type !== 'REPEATED',
      )
      .map(({ element }) => element.name);
    give(columns, 1);
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      expectModest(path, group.total_byte_size);
      const rowEnd = rowStart + Number(group.num_rows);
      let rows: readonly unknown[][] = [];
      await parquetRead({
        ...{
          file,
          metadata,
          columns,
          rowStart,
          rowEnd,
          compressors: compressorsOf(decoder),
          geoparquet: false,
        },
        onComplete: (read: unknown[][]) => {
          rows = read;
        },
      });
      if (rows.length !== rowEnd - rowStart) throw new Error(`a row group lacks rows`);
      for (const [i, row] of rows.entries()) give(row, rowStart + i + 2);
      rowStart = rowEnd;
      const at = Math.min(bytes, Number(group.total_compressed_size ?? group.total_byte_size) + told);
      onRead?.(at - told);
      told = at;
    }
  } catch (error) {
    if (thrown !== undefined) throw thrown.error;
    throw wrongParquet(path, error);
  } finally {
    await handle.close();
  }
  if (bytes > told) onRead?.(bytes - told);
}

/** Throws 'data' for a file that does not begin as Parquet does. */
async function expectMagic(path: string, file: AsyncBuffer): Promise<void> {
  const beginning = Buffer.from(await file.slice(0, Math.min(4, file.byteLength)));
  if (beginning.toString('latin1') === 'PAR1') return;
  const got = beginning.length === 0 ? 'an empty one' : 'one that does not begin as such';
  throw new FuzzError('data', `Parquet: expected a Parquet file, got ${got}`, {
    path,
    hint: 'If it is a text, say its form: --format csv.',
  });
}

function bufferOf(handle: FileHandle, byteLength: number): AsyncBuffer {
  return {
    byteLength,
    async slice(start, end = byteLength) {
      const from = start < 0 ? Math.max(0, byteLength + start) : start;
      const length = Math.min(end, byteLength) - from;
      if (length < 0) throw new Error('it is cut short');
      const part = new ArrayBuffer(length);
      for (let at = 0; at < length; ) {
        const { bytesRead } = await handle.read(new Uint8Array(part), at, length - at, from + at);
        if (bytesRead === 0) throw new Error('it is cut short');
        at += bytesRead;
      }
      return part;
    },
  };
}

/** Snappy is read by hyparquet. Each is held against the length that the page has without compression. */
function compressorsOf(decoder: ZSTDDecoder): Compressors {
  const whole = (bytes: Uint8Array, length: number): Uint8Array => {
    if (bytes.length === length) return bytes;
    throw new Error(`a page of ${length} bytes has ${bytes.length}`);
  };
  return {
    GZIP: (input, length) => whole(gunzipSync(input, { maxOutputLength: Math.max(1, length) }), length),
    BROTLI: (input, length) =>
      whole(brotliDecompressSync(input, { maxOutputLength: Math.max(1, length) }), length),
    ZSTD: (input, length) => whole(decoder.decode(input, length), length),
  };
}

function expectModest(path: string, bytes: bigint): void {
  const { file: most } = readLimits();
  if (bytes <= most) return;
  throw new FuzzError('data', `Parquet: expected row groups of at most ${most} bytes, got one of ${bytes}`, {
    path,
    hint: raiseLimit('file'),
  });
}

/** A record that is filled again for each row. */
function createRowRecord(): {
  readonly record: DelimitedRecord;
  fill(cells: readonly unknown[], line: number): void;
} {
  const ends: number[] = [];
  const record = {
    bytes: Buffer.alloc(1 << 12) as Buffer,
    line: 0,
    count: 0,
    start: (field: number): number => (field === 0 ? 0 : ends[field - 1]!),
    end: (field: number): number => ends[field]!,
    text: (field: number): string => record.bytes.toString('utf8', record.start(field), record.end(field)),
  };
  return {
    record,
    fill(cells, line) {
      record.line = line;
      record.count = cells.length;
      let at = 0;
      for (let field = 0; field < cells.length; field++) {
        const text = textOf(cells[field]);
        if (at + 3 * text.length > record.bytes.length) {
          const longer = Buffer.alloc(2 * (at + 3 * text.length));
          record.bytes.copy(longer, 0, 0, at);
          record.bytes = longer;
        }
        at += record.bytes.write(text, at);
        ends[field] = at;
      }
    },
  };
}

/** A value as a table has it: dates without the time where there is none. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00\.000Z$/, '');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function wrongParquet(path: string, cause: unknown): FuzzError {
  if (cause instanceof FuzzError) return cause;
  if (systemErrorCode(cause) !== undefined) return readError(path, cause);
  const reason = messageOf(cause).replace(/^parquet /, '');
  return new FuzzError(
    'data',
    `Parquet: expected a whole Parquet file, got one that cannot be read (${reason})`,
    {
      path,
      hint: 'The file is damaged, cut short, or in a form of compression that is not read: uncompressed, Snappy, gzip, Brotli and Zstandard are.',
      cause,
    },
  );
}
