import type { ModelConfig } from '@fuzzqe/core/model';
import type { ExportProfile } from './profile.ts';

/**
 * How far two runtimes may be apart in a quantised profile.
 *
 * An activation that lies between two codes may be rounded up by one runtime and down by another; the low codes leave
 * 1/127 of a step between them.
 */
export const quantisedTolerances: ExportProfile['tolerances'] = {
  embedding: { absolute: 2e-4, relative: 2e-4 },
  score: { absolute: 2e-5, relative: 2e-4 },
};

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
