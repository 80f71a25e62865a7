import { type FileHandle, open } from 'node:fs/promises';
import {
  type DType,
  decodeHalf,
  type NumericTensor,
  type NumericTensors,
  numeric,
  sizeOf,
} from '@fuzzqe/core/tensor';
import { readFully } from '@fuzzqe/files';
import type { ModelConfig } from '@fuzzqe/model';
import { matrixOfPanels } from '../profiles/column-panels.ts';
import type { CodeLayout } from '../profiles/entity-codes.ts';
import type { ExportProfile, StoredTensor } from '../profiles/profile.ts';
import { weightsLayout } from './weights-writer.ts';

/** Reads the tensors of a profile back from its weights file. */
export interface WeightsReader {
  readonly profile: ExportProfile;
  /**
   * The values of the parameters of programs for a model that has only these relations, in this order.
   *
   * A large model so needs no more memory than its entities and the relations in use.
   */
  values(relations: readonly number[]): Promise<NumericTensors>;
  close(): Promise<void>;
}

/**
 * Opens a weights file, or the files that it was cut into, in their order.
 *
 * However the codes of entities lie in it, they are read as a matrix.
 */
export async function openWeights(
  path: string | readonly string[],
  profile: ExportProfile,
  config: ModelConfig,
  codes: CodeLayout = 'matrix',
): Promise<WeightsReader> {
  const file = await openPieces(typeof path === 'string' ? [path] : path);
  const { places } = weightsLayout(profile, config, codes);
  const whole = new Map<string, NumericTensor>();

  const read = async (
    tensor: StoredTensor,
    start: number,
    length: number,
  ): Promise<NumericTensor['data']> => {
    const bytes = new Uint8Array(length);
    await file.read(bytes, places.get(tensor.name)!.offset + start);
    return decode(tensor.dtype, bytes);
  };
  const table = async (tensor: StoredTensor): Promise<NumericTensor> => {
    const known = whole.get(tensor.name);
    if (known !== undefined) return known;
    const stored = numeric(tensor.shape, await read(tensor, 0, places.get(tensor.name)!.length));
    const tensorRead = tensor.columns === undefined ? stored : matrixOfPanels(stored, tensor.columns);
    whole.set(tensor.name, tensorRead);
    return tensorRead;
  };
  const rows = async (tensor: StoredTensor, ids: readonly number[]): Promise<NumericTensor> => {
    const [count, ...rest] = tensor.shape;
    const length = places.get(tensor.name)!.length / count!;
    const width = sizeOf(rest);
    const data = new (arrays[tensor.dtype] ?? Float32Array)(ids.length * width);
    for (const [i, id] of ids.entries()) data.set(await read(tensor, id * length, length), i * width);
    return numeric([ids.length, ...rest], data);
  };

  return {
    profile,
    async values(relations) {
      const values: Record<string, NumericTensor> = {};
      for (const tensor of profile.tensors(config, codes))
        values[tensor.name] =
          tensor.byRelation === true ? await rows(tensor, relations) : await table(tensor);
      return values;
    },
    close: () => file.close(),
  };
}

/** Files one behind another, read as one. */
async function openPieces(paths: readonly string[]): Promise<{
  read(bytes: Uint8Array, position: number): Promise<void>;
  close(): Promise<void>;
}> {
  const pieces: { path: string; file: FileHandle; from: number; to: number }[] = [];
  const close = async (): Promise<void> => {
    for (const { file } of pieces) await file.close();
  };
  try {
    for (const path of paths) {
      const file = await open(path, 'r');
      const from = pieces.at(-1)?.to ?? 0;
      pieces.push({ path, file, from, to: from });
      pieces.at(-1)!.to = from + (await file.stat()).size;
    }
  } catch (error) {
    await close();
    throw error;
  }
  const last = pieces.at(-1)!;
  return {
    close,
    async read(bytes, position) {
      let done = 0;
      while (done < bytes.length) {
        const at = position + done;
        // What lies beyond the end is missing from the last piece, whose reader says so.
        const piece = pieces.find(({ to }) => at < to) ?? last;
        const end = piece === last ? bytes.length : Math.min(bytes.length, piece.to - position);
        await readFully(piece.file, bytes.subarray(done, end), at - piece.from, { path: piece.path });
        done = end;
      }
    },
  };
}

/** What rows of a table are read into, where that is not float32. */
const arrays: Readonly<Partial<Record<DType, typeof Int8Array | typeof Int32Array>>> = {
  int8: Int8Array,
  int: Int32Array,
};

function decode(dtype: DType, bytes: Uint8Array): NumericTensor['data'] {
  if (dtype === 'int8') return new Int8Array(bytes.buffer);
  if (dtype === 'int') return new Int32Array(bytes.buffer);
  if (dtype === 'half') return decodeHalves(new Uint16Array(bytes.buffer));
  return new Float32Array(bytes.buffer);
}

/** What each half stands for: a table of entities has a hundred million of them. */
let halfValues: Float32Array | undefined;

function decodeHalves(halves: Uint16Array): Float32Array {
  halfValues ??= Float32Array.from({ length: 2 ** 16 }, (_, half) => decodeHalf(half));
  const values = halfValues;
  const decoded = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i += 1) decoded[i] = values[halves[i]!]!;
  return decoded;
}
