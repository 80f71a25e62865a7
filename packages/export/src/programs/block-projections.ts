import { blocksProjection, type ModelConfig } from '@fuzzqe/core/model';
import { gather, type Tensor } from '@fuzzqe/core/tensor';
import type { ServedModel } from './served-model.ts';

/** Projections by blocks: a relation's row is multiplied with, whether one relation or many are asked for. */
export function blockProjections(
  config: ModelConfig,
  blocks: Tensor,
): Pick<ServedModel, 'project' | 'projectTogether'> {
  const project = (x: Tensor, relations: Tensor): Tensor =>
    blocksProjection(config, x, gather(blocks, relations));
  return { project, projectTogether: project };
}
