import { checkApiOptions, checkModels } from '@fuzzqe/api';
import {
  aFunction,
  anObject,
  anything,
  atLeast,
  checkForms,
  checkOptions,
  has,
  integerIn,
  isObject,
  type OptionForm,
  texts,
} from '@fuzzqe/engine';
import type { ServerOptions } from './server.ts';

const withMethods =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    names.every((name) => has(value, name));

/** A day at most: timers wait no longer than 24 of them. 0 is none, or at once. */
const milliseconds = integerIn(0, 86_400_000);

const forms: Readonly<Record<keyof ServerOptions, OptionForm>> = {
  // By themselves, before the others.
  models: anything,
  port: anything,
  host: ['an address', (value) => typeof value === 'string' && value !== ''],
  allowHost: texts,
  api: anObject,
  keys: aFunction,
  rateLimit: anObject,
  // What is asked of them while requests are answered, where an error would end the process.
  log: ['a log, as createLog makes one', withMethods('debug', 'info', 'warn', 'error')],
  facts: ['facts, as createLiveFacts makes them', withMethods('until')],
  judged: aFunction,
  tracing: ['tracing, as openTracing makes it', withMethods('start')],
  headersTimeout: integerIn(1, 86_400_000),
  requestTimeout: milliseconds,
  keepAliveTimeout: milliseconds,
  idleTimeout: milliseconds,
  shutdownDelay: milliseconds,
  closeNotice: milliseconds,
  drainTimeout: milliseconds,
  maxConnections: atLeast(0),
  maxInFlight: atLeast(0),
};

const portForm = { port: integerIn(0, 65_535) };

const rateForms = {
  perSecond: ['a number above 0', (value: unknown) => typeof value === 'number' && value > 0],
  burst: atLeast(1),
} as const;

/**
 * Refuses what is wrong with the options of a server before anything is opened: a limit that is no number would limit nothing.
 *
 * @throws FuzzError `usage`; `runtime` for what is no port.
 */
export function checkServerOptions(options: object): void {
  const { models, api = {}, rateLimit }: Readonly<Record<string, unknown>> = { ...options };
  checkModels(models, 'As startServer({ models: engine }): openEngine opens one.');
  checkForms(options, portForm, 'runtime', '$', 'Choose any free one with port 0.');
  checkOptions(options, forms);
  // What stands before its routes, and hears of its faults, is its own.
  if (isObject(api)) checkApiOptions(api, '$.api', ['middleware', 'onError']);
  if (isObject(rateLimit))
    checkOptions({ perSecond: Number.NaN, burst: Number.NaN, ...rateLimit }, rateForms, '$.rateLimit');
}
