import { atLeast, checkForms, isObject, type OptionForm } from '../options/option-forms.ts';

/** Whether it has a method of this name. */
export const has = (value: unknown, method: string): boolean =>
  isObject(value) && typeof Reflect.get(value, method) === 'function';

const isText = (value: unknown): boolean => typeof value === 'string';
const listOf =
  (fits: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);

const models: OptionForm = [
  'an engine or a registry of models',
  (value) => has(value, 'acquire') || has(value, 'answer'),
];

/** Refuses what does not answer. Throws: 'usage'. */
export function checkModels(given: unknown): void {
  checkForms({ models: given ?? null }, { models }, 'usage', '$', 'openEngine opens one.');
}

const limit = atLeast(0);
const count = atLeast(1);

const forms: Readonly<Record<string, OptionForm>> = {
  bodyLimit: limit,
  batchLimit: limit,
  batchLines: limit,
  batchCostLimit: limit,
  batchAtOnce: count,
  maxK: count,
  costLimit: limit,
  timeout: limit,
  cors: ['an origin or several', (value) => isText(value) || listOf(isText)(value)],
  mount: ['an array of parts', listOf((item) => has(item, 'routes'))],
};

/**
 * Refuses limits that are no numbers, which nothing would exceed, and what else callers without types may give.
 *
 * @throws FuzzError `usage`.
 */
export function checkApiOptions(options: object, path?: string): void {
  checkForms(options, forms, 'usage', path);
}
