import { atLeast, checkForms, isObject, type OptionForm } from '../option-forms.ts';

/** Whether it has a method of this name. */
export const has = (value: unknown, method: string): boolean =>
  isObject(value) && typeof Reflect.get(value, method) === 'function';

const isText = (value: unknown): boolean => typeof value === 'string';
const listOf =
  (fits: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);

/** What serves. */
export const modelsForm: OptionForm = [
  'an engine or a registry of models',
  (value) => has(value, 'acquire') || has(value, 'answer'),
];

const limit = atLeast(0);
const count = atLeast(1);

const forms: Readonly<Record<string, OptionForm>> = {
  models: modelsForm,
  bodyLimit: limit,
  batchLimit: limit,
  batchLines: limit,
  batchCostLimit: limit,
  batchAtOnce: count,
  maxK: count,
  costLimit: limit,
  timeout: limit,
  cors: ['an origin or several', (value) => isText(value) || listOf(isText)(value)],
  middleware: ['an array of functions', listOf((item) => typeof item === 'function')],
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
