import { FuzzError } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '@fuzzqe/model';
import { elementSize, layoutWeights, type WeightLayout } from '@fuzzqe/onnx';
import type { FolderFile } from '../files/folder-writer.ts';
import type { CodeLayout } from '../profiles/entity-codes.ts';
import type { ExportProfile, TensorChunk } from '../profiles/profile.ts';

/** Writes tensors at their places in a weights file, one after the other. */
export interface WeightsWriter {
  /**
   * The next bytes of a tensor, in the order of the layout.
   *
   * @throws FuzzError `shape`: they are not the next.
   */
  put(pieces: Iterable<TensorChunk>): Promise<void>;
  /** @throws FuzzError `shape`: bytes are missing. */
  close(): Promise<void>;
}

/** A writer of one weights file; zeros fill the gaps between tensors. */
export function weightsWriter(file: FolderFile, layout: WeightLayout): WeightsWriter {
  const waiting = [...layout.places];
  let position = 0;

  const put = async ({ tensor, bytes }: TensorChunk): Promise<void> => {
    const [name, { offset, length }] = waiting[0] ?? ['', { offset: 0, length: 0 }];
    const start = Math.max(position, offset);
    if (tensor !== name || start + bytes.length > offset + length)
      throw new FuzzError(
        'shape',
        `weights: expected bytes of "${name}", got ${bytes.length} of "${tensor}"`,
      );
    if (position < offset) await file.write(new Uint8Array(offset - position));
    await file.write(bytes);
    position = start + bytes.length;
    if (position === offset + length) waiting.shift();
  };

  return {
    async put(pieces) {
      for (const piece of pieces) await put(piece);
    },
    async close() {
      if (waiting.length > 0) throw new FuzzError('shape', `weights: no bytes of "${waiting[0]![0]}"`);
      await file.close();
    },
  };
}

/** Where each tensor of a profile stands in its weights file. */
export function weightsLayout(
  profile: ExportProfile,
  config: ModelConfig,
  codes: CodeLayout = 'matrix',
): WeightLayout {
  return layoutWeights(
    profile.tensors(config, codes).map((tensor) => ({
      ...tensor,
      bytes: { byteLength: sizeOf(tensor.shape) * elementSize(tensor.dtype) },
    })),
  );
}
