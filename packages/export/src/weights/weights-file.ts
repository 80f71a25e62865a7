import type { ModelConfig } from '@fuzzqe/core/model';
import { sizeOf } from '@fuzzqe/core/tensor';
import { elementSize, layoutWeights, type WeightLayout } from '@fuzzqe/onnx';
import type { ExportProfile } from '../profiles/profile.ts';

/** Where each tensor of a profile stands in its weights file. */
export function weightsLayout(profile: ExportProfile, config: ModelConfig): WeightLayout {
  return layoutWeights(
    profile.tensors(config).map((tensor) => ({
      ...tensor,
      bytes: { byteLength: sizeOf(tensor.shape) * elementSize(tensor.dtype) },
    })),
  );
}
