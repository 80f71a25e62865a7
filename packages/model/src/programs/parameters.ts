import type { Random } from '@fuzzqe/core';
import { type NumericTensors, numeric, parameter, type Tensor } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '../config/config.ts';
import type { OfFamily } from '../config/family-traits.ts';
import type { InitialisationName, OfParameters, ParameterName, Parameters } from '../config/of-parameters.ts';
import { familyOf } from '../families/families.ts';

/** The shapes of the trained tensors, as the model's family states them. */
export function parameterShapes(config: ModelConfig): OfParameters<readonly number[]> {
  return familyOf(config).parameters(config);
}

/** The trained tensors that a model has. */
export function parameterNamesOf(model: OfFamily): readonly ParameterName[] {
  return familyOf(model).trains;
}

/**
 * The trained tensors as parameters of a program: the names and shapes of `parameterShapes`.
 *
 * @example
 * const { entities } = trainedParameters(trained.config);
 */
export function trainedParameters(config: ModelConfig): OfParameters<Tensor> {
  const shapes = parameterShapes(config);
  const named = parameterNamesOf(config).map((name) => [name, parameter(name, shapes[name]!)] as const);
  // fromEntries forgets the names, which are those of the shapes.
  return Object.fromEntries(named) as OfParameters<Tensor>;
}

/** Trained tensors as values of a program's parameters, by name. */
export function numericParameters(config: ModelConfig, parameters: Parameters): NumericTensors {
  const shapes = parameterShapes(config);
  return Object.fromEntries(
    parameterNamesOf(config).map((name) => [name, numeric(shapes[name]!, parameters[name]!)]),
  );
}

/**
 * Parameters to start training from; every tensor has a random stream of its own. Only bases have several starts.
 * Shapes: as `parameterShapes` gives them.
 *
 * @example
 * const parameters = initialiseParameters(trained.config, createRandom('run', 1));
 */
export function initialiseParameters(
  config: ModelConfig,
  random: Random,
  name: InitialisationName = 'centred',
): Parameters {
  return familyOf(config).initialise(config, random, name);
}
