import { aFunction, aText, atLeast, checkForms, checkOptions, has, type OptionForm } from '@fuzzqe/engine';
import type { ApiOptions } from './app.ts';
import { isOrigin, originForm } from './headers/origin.ts';

const isAnOrigin = (value: unknown): boolean => typeof value === 'string' && isOrigin(value);
const [, isFunction] = aFunction;
const listOf =
  (fits: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);

const models: OptionForm = [
  'an engine or a registry of models',
  (value) => has(value, 'acquire') || has(value, 'answer'),
];

/**
 * Refuses what does not answer.
 *
 * @throws FuzzError `usage`.
 */
export function checkModels(given: unknown, hint = 'openEngine opens one.'): void {
  checkForms({ models: given ?? null }, { models }, 'usage', '$', hint);
}

const limit = atLeast(0);
const count = atLeast(1);

const forms: Readonly<Record<keyof ApiOptions, OptionForm>> = {
  bodyLimit: limit,
  batchLimit: limit,
  batchLines: limit,
  batchCostLimit: limit,
  batchAtOnce: count,
  maxK: count,
  costLimit: limit,
  timeout: limit,
  cors: [`${originForm}; or an array of them`, (value) => isAnOrigin(value) || listOf(isAnOrigin)(value)],
  facts: ['access to facts that change', (value) => has(value, 'write')],
  onError: aFunction,
  writeAnswer: aFunction,
  pageStyle: aText,
  pageIcon: aText,
  middleware: ['an array of functions', listOf(isFunction)],
  mount: ['an array of parts', listOf((item) => has(item, 'routes'))],
};

/**
 * Refuses limits that are no numbers, which nothing would exceed, options that there are not, and what else callers without types may give.
 *
 * @param without names that are none here.
 * @throws FuzzError `usage`.
 */
export function checkApiOptions(
  options: object,
  path?: string,
  without: readonly (keyof ApiOptions)[] = [],
): void {
  const left = Object.entries(forms).filter(([name]) => without.every((other) => other !== name));
  checkOptions(options, Object.fromEntries(left), path);
}
