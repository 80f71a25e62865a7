import { createRandom, FuzzError } from '@fuzzqe/core';
import { parseTrainingConfig, type TrainingConfig } from '@fuzzqe/train';
import type { ParameterSpace, SweepFile } from './sweep-file.ts';
import { mostTrials } from './sweep-file.ts';

/** The values of a trial by their paths. */
export type TrialParameters = Readonly<Record<string, unknown>>;

type Space = Pick<SweepFile, 'strategy' | 'seed' | 'parameters' | 'trials'>;

/** How many trials a sweep has. @throws FuzzError `config`: a grid of fewer points than trials, or of more than a sweep may have. */
export function trialCount({ strategy, trials, parameters }: Space): number {
  if (strategy === 'random') return trials!;
  const points = Object.values(parameters).reduce((product, each) => product * gridValues(each).length, 1);
  if (trials !== undefined && trials > points)
    throw new FuzzError('config', `trials: the grid has ${points} points, got ${trials}`, {
      path: '$.trials',
      hint: 'Leave trials out, or add values.',
    });
  if ((trials ?? points) > mostTrials)
    throw new FuzzError('config', `the grid has ${points} points, expected at most ${mostTrials}`, {
      path: '$.parameters',
      hint: 'Take fewer values, or the strategy random.',
    });
  return trials ?? points;
}

/**
 * The values of a trial, which its number and the sweep decide alone: drawn, each from a stream of its own by (seed, trial, path), or
 * the point of the grid in whose order the last parameter runs fastest.
 *
 * Numbers of continuous ranges have six significant digits, so that they can be read and typed.
 */
export function drawTrial({ strategy, seed, parameters }: Space, trial: number): TrialParameters {
  const paths = Object.keys(parameters);
  if (strategy === 'random')
    return Object.fromEntries(paths.map((path) => [path, draw(parameters[path]!, seed, trial, path)]));
  let rest = trial;
  const values = paths.toReversed().map((path): [string, unknown] => {
    const choices = gridValues(parameters[path]!);
    const value = choices[rest % choices.length];
    rest = Math.floor(rest / choices.length);
    return [path, value];
  });
  return Object.fromEntries(values.toReversed());
}

function draw(space: ParameterSpace, seed: number, trial: number, path: string): unknown {
  const random = createRandom('sweep', seed, trial, path);
  const { choices, uniform, logUniform, integer } = space;
  if (choices !== undefined) return choices[random.below(choices.length)];
  // uniform() has 32 bits, more than an integer range of a configuration needs.
  if (integer !== undefined)
    return integer[0]! + Math.floor(random.uniform() * (integer[1]! - integer[0]! + 1));
  return at(uniform ?? logUniform!, random.uniform(), logUniform !== undefined);
}

/** All values of a parameter in a grid. */
function gridValues({
  choices,
  uniform,
  logUniform,
  integer,
  points = 1,
}: ParameterSpace): readonly unknown[] {
  if (choices !== undefined) return choices;
  if (integer !== undefined) {
    const count = integer[1]! - integer[0]! + 1;
    // More than a sweep may have: counting them is enough to refuse it.
    return Array.from({ length: Math.min(count, mostTrials + 1) }, (_, i) => integer[0]! + i);
  }
  return Array.from({ length: points }, (_, i) =>
    at(uniform ?? logUniform!, points === 1 ? 0.5 : i / (points - 1), logUniform !== undefined),
  );
}

/** A value of a range at a share of the way, in its logarithm where that is asked for. */
function at(range: readonly number[], share: number, byLogarithm: boolean): number {
  const [least, most] = [range[0]!, range[1]!];
  const value = byLogarithm
    ? Math.exp(Math.log(least) + share * (Math.log(most) - Math.log(least)))
    : least + share * (most - least);
  return Math.min(most, Math.max(least, Number(value.toPrecision(6))));
}

/**
 * The configuration of a trial: the base with the trial's values at their paths.
 *
 * @throws FuzzError `config`: a path that does not exist, with the nearest that does, or a value out of range.
 */
export function trialConfig(
  base: TrainingConfig,
  parameters: TrialParameters,
  { budget }: Pick<SweepFile, 'budget'>,
  path: string,
): TrainingConfig {
  const changed: Record<string, unknown> = structuredClone(base) as unknown as Record<string, unknown>;
  if (budget.steps !== undefined) changed['steps'] = budget.steps;
  for (const [place, value] of Object.entries(parameters)) {
    const keys = place.split('.');
    const last = keys.pop()!;
    let at: unknown = changed;
    for (const key of keys) {
      if (!isObject(at) || !Object.hasOwn(at, key)) throw noSuchPath(path, place, at);
      at = at[key];
    }
    if (!isObject(at)) throw noSuchPath(path, place, at);
    // Not by assignment: "__proto__" would vanish instead of being refused.
    Object.defineProperty(at, last, { value, enumerable: true, configurable: true, writable: true });
  }
  return parseTrainingConfig(changed, base, path);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function noSuchPath(path: string, place: string, found: unknown): FuzzError {
  const known = isObject(found) ? Object.keys(found) : [];
  return new FuzzError('config', `parameters: there is no "${place}" in a training configuration`, {
    path,
    hint:
      known.length === 0
        ? 'Name a key of the configuration by its path, as in optimiser.learningRate.'
        : `Known there: ${known.join(', ')}.`,
  });
}
