import { FuzzError, schema } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';

/** Where one tensor of float32 numbers stands, in bytes after the header. */
export interface TensorPlace {
  readonly name: string;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** What the header of a safetensors file says: its tensors in the order of their numbers, and its texts. */
export interface SafetensorsHeader {
  readonly places: readonly TensorPlace[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** More than the names of any model take; the format's own readers stop at 100 MB. */
export const longestHeader: number = 16 * 2 ** 20;

const damaged = 'the file is damaged; use another copy or an earlier checkpoint';
const longestName = 1000;
const mostDimensions = 32;
const count = schema.integer({ min: 0 });
/** What the header says of one tensor; the format leaves room for more keys. */
const entrySchema = schema.partOf({
  dtype: schema.string,
  shape: schema.array(count),
  data_offsets: schema.array(count, { min: 2, max: 2 }),
});
const headerSchema = schema.record(schema.anything);
const metadataSchema = schema.record(schema.string);

/**
 * How many bytes the header takes, from the first 8 bytes of a file.
 *
 * @throws FuzzError `checkpoint`: a file of less than 8 bytes, one that ends before its header does, or a header of more
 *   than 16 MiB.
 */
export function headerLength(start: Uint8Array, fileBytes: number, path: string): number {
  if (fileBytes < 8 || start.length < 8)
    throw broken(`a safetensors file has at least 8 bytes, got ${fileBytes}`, path);
  const length = new DataView(start.buffer, start.byteOffset).getBigUint64(0, true);
  if (length > BigInt(fileBytes - 8))
    throw broken(`the header should take ${length} bytes, but the file ends before that`, path);
  if (length > BigInt(longestHeader))
    throw broken(`the header takes ${length} bytes, more than the ${longestHeader} that are read`, path);
  return Number(length);
}

/**
 * Reads the header of a safetensors file and holds it against the size of the numbers after it.
 *
 * Tensors must be float32 and lie one after the other, without gaps and without a byte that belongs to two.
 *
 * @throws FuzzError `checkpoint`: anything else.
 * Source: the safetensors format specification.
 */
export function readSafetensorsHeader(bytes: Uint8Array, bodyBytes: number, path: string): SafetensorsHeader {
  const { __metadata__: texts = {}, ...rest } = schema.parseJson(headerSchema, textOf(bytes, path), {
    code: 'checkpoint',
    what: 'header',
    path,
    hint: damaged,
  });
  const read = <T>(as: schema.Schema<T>, value: unknown, what: string): T =>
    schema.parse(as, value, { code: 'checkpoint', what, path });
  const metadata = read(metadataSchema, texts, 'metadata');
  const places = Object.entries(rest).map(([name, value]): TensorPlace => {
    if (name.length > longestName)
      throw broken(`the name of a tensor has ${name.length} characters, more than ${longestName}`, path);
    const { dtype, shape, data_offsets } = read(entrySchema, value, `tensor "${name}"`);
    if (dtype !== 'F32')
      throw broken(`tensor "${name}" has ${dtype.slice(0, 20)} numbers, expected F32`, path);
    if (shape.length > mostDimensions)
      throw broken(`tensor "${name}" has ${shape.length} dimensions, more than ${mostDimensions}`, path);
    const [start = 0, end = 0] = data_offsets;
    if (end > bodyBytes || end - start !== 4 * sizeOf(shape))
      throw broken(`tensor "${name}" [${shape}] stands at bytes ${start} to ${end} of ${bodyBytes}`, path);
    return { name, shape, start, end };
  });
  places.sort((a, b) => a.start - b.start || a.end - b.end);
  let used = 0;
  for (const { name, start, end } of places) {
    if (start < used)
      throw broken(`tensor "${name}" begins at byte ${start}, inside the one before it`, path);
    if (start > used) throw broken(`no tensor has the bytes ${used} to ${start}`, path);
    used = end;
  }
  if (used !== bodyBytes) throw broken(`${bodyBytes} bytes of numbers, but the header names ${used}`, path);
  return { places, metadata };
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw broken('the header is not UTF-8', path);
  }
}

function broken(message: string, path: string): FuzzError {
  return new FuzzError('checkpoint', message, { path, hint: damaged });
}
