import { blocksProjection, type ModelConfig } from '@fuzzqe/core/model';
import { gather, type Tensor } from '@fuzzqe/core/tensor';
import type { ServedModel } from './served-model.ts';

/** Projections by blocks: each row is multiplied with the row of its relation. */
export function blockProjections(config: ModelConfig, blocks: Tensor): Pick<ServedModel, 'project'> {
  return { project: (x, relations) => blocksProjection(config, x, gather(blocks, relations)) };
}
