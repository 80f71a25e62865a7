import type { ModelConfig } from '@fuzzqe/core/model';

/** Sums of products of codes are int32: 127·127 a term. */
const mostDimensions = Math.floor((2 ** 31 - 1) / (127 * 127));
/** Candidates are sorted as float32, which holds every id up to here. */
const mostEntities = 2 ** 24;

/** Why whole numbers cannot hold a model; undefined where they can. All logics keep vectors in [0, 1], as codes need. */
export function quantisedRefusal({ entities, dimension }: ModelConfig): string | undefined {
  if (entities > mostEntities)
    return `it sorts ids of at most ${mostEntities} entities, the model has ${entities}`;
  if (dimension > mostDimensions)
    return `its sums hold at most ${mostDimensions} dimensions, the model has ${dimension}`;
  return undefined;
}
