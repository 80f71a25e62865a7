import { gather, type Tensor } from '@fuzzqe/core/tensor';
import { blocksProjection, type ModelConfig } from '@fuzzqe/model';
import type { ServedModel } from './served-model.ts';

/** Projections by blocks: each row is multiplied with the row of its relation. */
export function blockProjections(config: ModelConfig, blocks: Tensor): Pick<ServedModel, 'project'> {
  return { project: (x, relations) => blocksProjection(config, x, gather(blocks, relations)) };
}
