import { open } from 'node:fs/promises';
import type { ModelConfig } from '@fuzzqe/core/model';
import {
  type DType,
  decodeHalf,
  type NumericTensor,
  type NumericTensors,
  numeric,
  sizeOf,
} from '@fuzzqe/core/tensor';
import { readFully } from '@fuzzqe/files';
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

/** Opens a weights file. */
export async function openWeights(
  path: string,
  profile: ExportProfile,
  config: ModelConfig,
): Promise<WeightsReader> {
  const file = await open(path, 'r');
  const { places } = weightsLayout(profile, config);
  const whole = new Map<string, NumericTensor>();

  const read = async (
    tensor: StoredTensor,
    start: number,
    length: number,
  ): Promise<NumericTensor['data']> => {
    const bytes = new Uint8Array(length);
    await readFully(file, bytes, places.get(tensor.name)!.offset + start, { path });
    return decode(tensor.dtype, bytes);
  };
  const table = async (tensor: StoredTensor): Promise<NumericTensor> => {
    const known = whole.get(tensor.name);
    if (known !== undefined) return known;
    const tensorRead = numeric(tensor.shape, await read(tensor, 0, places.get(tensor.name)!.length));
    whole.set(tensor.name, tensorRead);
    return tensorRead;
  };
  const rows = async (tensor: StoredTensor, ids: readonly number[]): Promise<NumericTensor> => {
    const [count, ...rest] = tensor.shape;
    const length = places.get(tensor.name)!.length / count!;
    const width = sizeOf(rest);
    const data =
      tensor.dtype === 'int8' ? new Int8Array(ids.length * width) : new Float32Array(ids.length * width);
    for (const [i, id] of ids.entries()) data.set(await read(tensor, id * length, length), i * width);
    return numeric([ids.length, ...rest], data);
  };

  return {
    profile,
    async values(relations) {
      const values: Record<string, NumericTensor> = {};
      for (const tensor of profile.tensors(config))
        values[tensor.name] =
          tensor.byRelation === true ? await rows(tensor, relations) : await table(tensor);
      return values;
    },
    close: () => file.close(),
  };
}

function decode(dtype: DType, bytes: Uint8Array): NumericTensor['data'] {
  if (dtype === 'int8') return new Int8Array(bytes.buffer);
  if (dtype === 'half') return Float32Array.from(new Uint16Array(bytes.buffer), decodeHalf);
  return new Float32Array(bytes.buffer);
}
