import { type FileHandle, open } from 'node:fs/promises';
import { FuzzError, type ModelConfig } from '@fuzzqe/core';
import type { WeightLayout } from '@fuzzqe/onnx';
import { type TableName, tableShapes } from '../programs/tables.ts';

/** Reads rows of tables back from a weights file. */
export interface WeightsReader {
  /** The given rows, one after the other. */
  rows(table: TableName, ids: readonly number[]): Promise<Float32Array>;
  /** All rows. */
  table(table: TableName): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Opens a weights file. */
export async function openWeights(
  path: string,
  config: ModelConfig,
  layout: WeightLayout,
): Promise<WeightsReader> {
  const file = await open(path, 'r');
  const shapes = tableShapes(config);
  return {
    async rows(table, ids) {
      const { offset, length } = layout.places.get(table)!;
      const rowBytes = length / shapes[table][0]!;
      const bytes = new Uint8Array(ids.length * rowBytes);
      for (const [i, id] of ids.entries())
        await readFully(file, path, bytes.subarray(i * rowBytes, (i + 1) * rowBytes), offset + id * rowBytes);
      return new Float32Array(bytes.buffer);
    },
    async table(table) {
      const { offset, length } = layout.places.get(table)!;
      const bytes = new Uint8Array(length);
      await readFully(file, path, bytes, offset);
      return new Float32Array(bytes.buffer);
    },
    close: () => file.close(),
  };
}

/** One read may give less than was asked for. */
async function readFully(
  file: FileHandle,
  path: string,
  target: Uint8Array,
  position: number,
): Promise<void> {
  let done = 0;
  while (done < target.length) {
    const { bytesRead } = await file.read(target, done, target.length - done, position + done);
    if (bytesRead === 0) throw new FuzzError('data', `the file ends at byte ${position + done}`, { path });
    done += bytesRead;
  }
}
