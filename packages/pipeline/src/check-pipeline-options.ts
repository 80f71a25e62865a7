import { describeValue, schema } from '@fuzzqe/core';
import { profileNames } from '@fuzzqe/export';
import { parityRuntimeNames } from '@fuzzqe/parity';
import { trainingConfigSchema } from '@fuzzqe/train';
import { factsChoices } from './export-run.ts';

const { anything, array, boolean, checked, integer, number, object, oneOf, optional } = schema;

const count = integer({ min: 0 });
const text = schema.matching(/\S/, 'a text that is not empty');

/** Whatever passes a test: what is no JSON. */
function such(expected: string, fits: (value: unknown) => boolean): schema.Schema<unknown> {
  return checked(anything, (value, report) => {
    if (!fits(value)) report([], expected, describeValue(value));
  });
}

const partOfObject = (value: unknown, ...keys: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && keys.every((key) => key in value);

const isTriples = (value: unknown): boolean =>
  typeof value === 'string' ? value !== '' : partOfObject(value, 'vocabulary', 'graphs', 'train', 'valid');

const sizes = object({
  ...{ train: count, trainNegation: optional(count), valid: count, test: count },
  // Presets have one next to their sizes; queries are drawn by that of the training.
  seed: optional(count),
});

const pipelineOptions = object({
  triples: such('a path, or a data set of readDataset, importPath or createDataset', isTriples),
  import: optional(such('an object', (value) => partOfObject(value))),
  out: optional(text),
  name: optional(text),
  config: optional(trainingConfigSchema),
  steps: optional(integer({ min: 1 })),
  minutes: optional(number({ above: 0 })),
  seed: optional(count),
  queries: optional(sizes),
  start: optional(such('what carryRun returns', (value) => partOfObject(value, 'state', 'origin'))),
  runtime: optional(such('a training runtime', (value) => partOfObject(value, 'open'))),
  threads: optional(integer({ min: 1, max: 256 })),
  profiles: optional(array(oneOf(profileNames), { min: 1 })),
  refit: optional(boolean),
  facts: optional(oneOf(factsChoices)),
  runtimes: optional(array(oneOf(parityRuntimeNames), { min: 1 })),
  onEvent: optional(such('a function', (value) => typeof value === 'function')),
  signal: optional(such('an AbortSignal', (value) => partOfObject(value, 'aborted'))),
});

/**
 * Refuses what is wrong with the options of a pipeline before anything is read or made: a training takes hours.
 *
 * @throws FuzzError `usage` with everything that is wrong.
 */
export function checkPipelineOptions(options: unknown): void {
  schema.parse(pipelineOptions, options, { code: 'usage', what: 'options of the pipeline', path: '$' });
}
