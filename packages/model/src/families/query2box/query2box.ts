import {
  add,
  broadcastLike,
  div,
  greaterOrEqual,
  minimum,
  mul,
  scalar,
  sigmoid,
  slice,
  sub,
  type Tensor,
  where,
} from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../../config/config.ts';
import { filled } from '../../config/filled.ts';
import { alone, eachAlternative, leastOf, logicOfAlternatives, missing, presentOr } from '../alternatives.ts';
import { attention, beside, layerOf, layersShape, relu, startLayers, weighedMean } from '../attention.ts';
import { absolute, compareDistances, nearness, sumOfColumns } from '../distances.ts';
import type { Family, SharedTensors } from '../family.ts';

/** α of (8): how much a distance within a box counts. Source: the released configuration of the paper's authors. */
const insideWeight = 0.02;

/** How many numbers a centre has: an alternative is a centre, an offset, the weights of the centre, and what the gate has seen. */
const partsOf = 5;

/** m */
const sizeOf = ({ dimension }: Pick<ModelConfig, 'dimension'>): number => dimension / (2 * partsOf);

/** How far elements start from 0, as in GQE. */
const spreadOf = (m: number): number => 26 / m;

/** The parts of an alternative. */
interface Box {
  readonly centre: Tensor;
  readonly offset: Tensor;
  /** The logarithms of the weights of the centre; missing until something is joined. */
  readonly logWeights: Tensor;
  /** The sum of the first layer of the gate over what was joined, and how many these are; missing before. */
  readonly seen: Tensor;
  readonly count: Tensor;
}

/** Shapes: [n, 5m] → [n, m] each. */
function boxOf(x: Tensor): Box {
  const m = (x.shape[1] as number) / partsOf;
  const [centre, offset, logWeights, seen, count] = Array.from({ length: partsOf }, (_, part) =>
    slice(x, part * m, (part + 1) * m, 1),
  ) as [Tensor, Tensor, Tensor, Tensor, Tensor];
  return { centre, offset, logWeights, seen, count };
}

/** A box that nothing was joined in. Shapes: [n, m] each → [n, 5m]. */
const closed = (centre: Tensor, offset: Tensor): Tensor =>
  beside(centre, offset, missing(centre), missing(centre), missing(centre));
