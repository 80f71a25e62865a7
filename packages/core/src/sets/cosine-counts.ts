import { FuzzError } from '../errors.ts';

/** In how many steps cosines are counted. */
const steps = 2 ** 16;
/** Steps from 0 to 1: one less on either side, where cosines of single precision go beyond 1. */
const stepsOfOne = steps / 2 - 1;

/** How often cosines occur in rows, from which the sum of exp(τ cos) follows at every τ. */
export interface CosineCounts {
  /**
   * Counts the cosines of a row. Range: [−1, 1]; what is beyond it by rounding counts as the nearest.
   *
   * @throws FuzzError `range`: NaN, which a model that diverged has.
   */
  add(row: number, cosines: Float32Array): void;
  /** Takes back one cosine that was counted. */
  remove(row: number, cosine: number): void;
  /**
   * ln Σ exp(τ cos) over what is counted in a row; −∞ where that is nothing.
   *
   * Each cosine stands for the middle of its step: off by at most 1.6·10⁻⁵ τ, and by 4·10⁻¹¹ τ² where many cosines count. Where numbers were
   * scaled into the range, τ is that by which they were.
   */
  logSum(row: number, temperature: number): number;
  /** Forgets all rows. */
  clear(): void;
}

/** Counts of cosines in steps of 3·10⁻⁵. Memory: 256 KiB a row. */
export function createCosineCounts(rows: number): CosineCounts {
  const counts = new Uint32Array(rows * steps);
  // exp(−τ k / stepsOfOne), by how many steps k a cosine is below the highest one.
  let weights = new Float64Array(0);
  let weightsOf = 0;
  const weightsAt = (temperature: number): Float64Array => {
    if (weights.length === 0 || weightsOf !== temperature)
      weights = Float64Array.from({ length: steps }, (_, k) => Math.exp((-temperature * k) / stepsOfOne));
    weightsOf = temperature;
    return weights;
  };
  return {
    add(row, cosines) {
      const origin = row * steps;
      for (let i = 0; i < cosines.length; i += 1) counts[origin + stepOf(cosines[i]!)]! += 1;
    },
    remove(row, cosine) {
      counts[row * steps + stepOf(cosine)]! -= 1;
    },
    logSum(row, temperature) {
      const ofRow = counts.subarray(row * steps, (row + 1) * steps);
      let top = steps - 1;
      while (top >= 0 && ofRow[top] === 0) top -= 1;
      const shares = weightsAt(temperature);
      let sum = 0;
      for (let k = 0; k <= top; k += 1) sum += ofRow[top - k]! * shares[k]!;
      return (temperature * (top + 0.5 - steps / 2)) / stepsOfOne + Math.log(sum);
    },
    clear: () => {
      counts.fill(0);
    },
  };
}

function stepOf(cosine: number): number {
  const step = steps / 2 + stepsOfOne * cosine;
  if (step >= 0 && step < steps) return step | 0;
  if (Number.isNaN(step))
    throw new FuzzError('range', 'cosines of entities: expected numbers in [−1, 1], got NaN', {
      hint: 'The weights of the model are no finite numbers: train again with a lower learning rate.',
    });
  return step < 0 ? 0 : steps - 1;
}
