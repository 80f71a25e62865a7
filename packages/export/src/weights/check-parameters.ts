import { FuzzError } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import { type ModelConfig, type Parameters, parameterNamesOf, parameterShapes } from '@fuzzqe/model';

/**
 * Refuses parameters that are not those of a trained model of this configuration.
 *
 * @throws FuzzError `checkpoint`: a tensor is missing, has another size, or holds a number that is not finite; the
 * path names the tensor and the position.
 */
export function checkParameters(config: ModelConfig, parameters: Parameters): void {
  const shapes = parameterShapes(config);
  for (const name of parameterNamesOf(config)) {
    const shape = shapes[name]!;
    const values = parameters[name];
    if (!(values instanceof Float32Array) || values.length !== sizeOf(shape))
      throw new FuzzError(
        'checkpoint',
        `expected ${sizeOf(shape)} float32 numbers of shape [${shape.join(', ')}], got ${values?.length ?? 'none'}`,
        { path: name, hint: 'The checkpoint is of another model; export it with its own configuration.' },
      );
    const bad = firstNotFinite(values);
    if (bad >= 0)
      throw new FuzzError('checkpoint', `expected finite numbers, got ${values[bad]}`, {
        path: positionAt(name, shape, bad),
        hint: 'Training has diverged; export an earlier checkpoint, or train with a lower learning rate.',
      });
  }
}

/** The index of the first number that is not finite, or −1: tables have a hundred million numbers, so without a call for each. */
export function firstNotFinite(values: Float32Array): number {
  for (let i = 0; i < values.length; i += 1) if (!Number.isFinite(values[i])) return i;
  return -1;
}

/** Where an element stands, as `bases[3, 0, 17]`. */
export function positionAt(name: string, shape: readonly number[], index: number): string {
  let rest = index;
  const place = shape.toReversed().map((dimension) => {
    const at = rest % dimension;
    rest = (rest - at) / dimension;
    return at;
  });
  return `${name}[${place.toReversed().join(', ')}]`;
}
