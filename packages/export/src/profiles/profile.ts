import { FuzzError } from '@fuzzqe/core';
import { type DType, encodeHalf } from '@fuzzqe/core/tensor';
import type { ModelConfig, Parameters } from '@fuzzqe/model';
import type { ServedModel } from '../programs/served-model.ts';
import type { CodeLayout } from './entity-codes.ts';

/** The forms in which a model can be stored. */
export const profileNames = ['fp32', 'fp16', 'int8', 'int8-basis'] as const;
export type ProfileName = (typeof profileNames)[number];

/** A tensor in the weights file of a profile. */
export interface StoredTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Its rows are those of relations. */
  readonly byRelation?: true;
  /** It is panels of a matrix with so many columns, which is what readers get. */
  readonly columns?: number;
  /** Which dimension, of a matrix where it is panels of one, is that of entities; absent where none is. */
  readonly entityAxis?: 0 | 1;
}

/** Consecutive bytes of a stored tensor. */
export interface TensorChunk {
  readonly tensor: string;
  readonly bytes: Uint8Array;
}

/** Tables of a bundle, by name. */
export type NamedTables = Readonly<Record<string, Float32Array>>;

/**
 * Turns the tables of a model into the bytes of a weights file.
 *
 * Each function is called in this order, `relation` once for each W_r; all pieces together are the tensors in the
 * order of their names, each from its first byte to its last.
 */
export interface Conversion {
  /** p_e. Shape: [|E|, d]. */
  entities(table: Float32Array): Iterable<TensorChunk>;
  /** The tables of the family, by name, without matrices. */
  tables(tables: NamedTables): Iterable<TensorChunk>;
  /** W_r of one relation after the other; absent where the profile has no use for them, or the family none. Shape: [d, d]. */
  relation?(matrix: Float32Array): Iterable<TensorChunk>;
  end(): Iterable<TensorChunk>;
}

/** How a model is stored and read: one form of the tables, and the pieces of programs that read it. */
export interface ExportProfile {
  readonly name: ProfileName;
  /** One sentence for people. */
  readonly description: string;
  /** Why a model cannot have this profile; undefined where it can. */
  refusal(config: ModelConfig): string | undefined;
  /** The pieces of programs, over parameters with the names, kinds and shapes of `tensors`. */
  model(config: ModelConfig, layout?: CodeLayout): ServedModel;
  /** Where `layout` is not given, it is `matrix`; profiles without codes of entities know none. */
  tensors(config: ModelConfig, layout?: CodeLayout): readonly StoredTensor[];
  /** @throws FuzzError `checkpoint`: a number that the profile cannot hold. */
  convert(config: ModelConfig, parameters: Parameters, layout?: CodeLayout): Conversion;
}

/** The bytes of an array, as they are in memory. */
export function bytesOfArray(array: Float32Array | Int32Array | Int8Array | Uint16Array): Uint8Array {
  // Little-endian on every machine that runs Node and ONNX Runtime.
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/**
 * float32 numbers as the bits of float16.
 *
 * @throws FuzzError `checkpoint`: a number that is too large.
 */
export function halfTable(name: string, table: Float32Array): Uint16Array {
  const halves = new Uint16Array(table.length);
  for (let i = 0; i < table.length; i += 1) {
    const half = encodeHalf(table[i]!);
    if ((half & 0x7fff) >= 0x7c00)
      throw new FuzzError('checkpoint', `expected numbers that float16 can hold, got ${table[i]}`, {
        path: `${name}[${i}]`,
        hint: 'Leave this profile out: its numbers end at 65504.',
      });
    halves[i] = half;
  }
  return halves;
}
