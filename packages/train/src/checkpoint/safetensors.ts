import { FuzzError, schema } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';

/** Float32 tensors by name, as they stand in a safetensors file. */
export type NamedTensors = Readonly<
  Record<string, { readonly shape: readonly number[]; readonly data: Float32Array }>
>;

/** Tensors and texts of one safetensors file. */
export interface SafetensorsContent {
  readonly tensors: NamedTensors;
  readonly metadata: Readonly<Record<string, string>>;
}

const damaged = 'the file is damaged; use another copy or an earlier checkpoint';
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
 * Tensors as the bytes of a safetensors file: header length (8 bytes), JSON header, float32 numbers.
 *
 * Names are sorted and the header is padded to 8 bytes, so the same tensors give the same bytes.
 * Source: the safetensors format specification.
 */
export function encodeSafetensors({ tensors, metadata }: SafetensorsContent): Uint8Array {
  const names = Object.keys(tensors).sort();
  const header: Record<string, unknown> = {};
  const texts = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  if (texts.length > 0) header['__metadata__'] = Object.fromEntries(texts);
  let offset = 0;
  for (const name of names) {
    const { shape, data } = tensors[name]!;
    if (sizeOf(shape) !== data.length)
      throw new FuzzError('shape', `tensor "${name}" [${shape}] has ${data.length} numbers`);
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + length + offset);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.fill(0x20, 8, 8 + length);
  bytes.set(text, 8);
  let at = 8 + length;
  for (const name of names) {
    const { data } = tensors[name]!;
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}

/** Reads a safetensors file of float32 tensors. Throws: 'checkpoint' where it is damaged or holds something else. */
export function decodeSafetensors(bytes: Uint8Array, path: string): SafetensorsContent {
  const broken = (message: string): never => {
    throw new FuzzError('checkpoint', message, {
      path,
      hint: damaged,
    });
  };
  if (bytes.length < 8) broken(`a safetensors file has at least 8 bytes, got ${bytes.length}`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (length > bytes.length - 8)
    broken(`the header should take ${length} bytes, but the file ends before that`);
  const { entries, metadata } = readHeader(bytes.subarray(8, 8 + length), path);
  const body = bytes.subarray(8 + length);
  const tensors: Record<string, NamedTensors[string]> = {};
  let used = 0;
  for (const [name, { dtype, shape, data_offsets }] of entries) {
    if (dtype !== 'F32') broken(`tensor "${name}" has ${dtype} numbers, expected F32`);
    const [start = 0, end = 0] = data_offsets;
    if (end > body.length || end - start !== 4 * sizeOf(shape))
      broken(`tensor "${name}" [${shape}] stands at bytes ${start} to ${end} of ${body.length}`);
    // A copy, because float32 views must begin at a multiple of 4 bytes. (A Buffer's own slice would not copy.)
    tensors[name] = { shape, data: new Float32Array(new Uint8Array(body.subarray(start, end)).buffer) };
    used += end - start;
  }
  if (used !== body.length) broken(`${body.length} bytes of numbers, but the header names ${used}`);
  return { tensors, metadata };
}

function readHeader(
  bytes: Uint8Array,
  path: string,
): {
  readonly entries: readonly (readonly [string, schema.Infer<typeof entrySchema>])[];
  readonly metadata: Readonly<Record<string, string>>;
} {
  const read = <T>(as: schema.Schema<T>, value: unknown, what: string): T =>
    schema.parse(as, value, { code: 'checkpoint', what, path });
  const { __metadata__: texts = {}, ...rest } = schema.parseJson(
    headerSchema,
    new TextDecoder().decode(bytes),
    {
      code: 'checkpoint',
      what: 'header',
      path,
      hint: damaged,
    },
  );
  return {
    entries: Object.entries(rest).map(([name, entry]) => [
      name,
      read(entrySchema, entry, `tensor "${name}"`),
    ]),
    metadata: read(metadataSchema, texts, 'metadata'),
  };
}

/** Throws 'checkpoint' for the first number that is not finite, with its tensor and place. */
export function expectFinite(tensors: NamedTensors, path: string): void {
  for (const [name, { data }] of Object.entries(tensors)) {
    const at = data.findIndex((value) => !Number.isFinite(value));
    if (at >= 0)
      throw new FuzzError('checkpoint', `tensor "${name}" holds ${data[at]} at position ${at}`, {
        path,
        hint: 'training went wrong before this was written; resume from an earlier checkpoint with a lower learning rate',
      });
  }
}
