import { FuzzError, schema } from '@fuzzqe/core';
import { factFields } from '@fuzzqe/facts';
import type { NamedChange } from '@fuzzqe/facts/apply';

const parametersOf = (request: Request): readonly (readonly [string, string])[] => [
  ...new URL(request.url).searchParams,
];

/** The parameters of an address, each once. Throws: `usage`. */
export function parametersOnce(request: Request): Readonly<Record<string, string>> {
  const parameters = parametersOf(request);
  const twice = parameters.find(([name], i) => parameters.findIndex((each) => each[0] === name) !== i);
  if (twice !== undefined)
    throw new FuzzError('usage', `${twice[0]}: expected it once, got it more often`, { path: twice[0] });
  return Object.fromEntries(parameters);
}

const { head, relation, tail, source } = factFields;
const keysSchema = schema.object({ head, relation, tail });
const sourceSchema = schema.object({ source });

/** The fact that an address asks for; undefined if the address names no part of a fact. Throws: `usage`. */
export function factInAddress(request: Request): NamedChange | undefined {
  const parts = ['head', 'relation', 'tail'];
  if (!parametersOf(request).some(([name]) => parts.includes(name))) return undefined;
  const keys = schema.parse(keysSchema, parametersOnce(request), { code: 'usage', what: 'fact' });
  return { does: 'add', ...keys, place: 'the address' };
}

/** The source whose facts an address removes; undefined if the address names a fact, or nothing. Throws: `usage`. */
export function sourceInAddress(request: Request): string | undefined {
  const names = parametersOf(request).map(([name]) => name);
  if (!names.includes('source') || names.includes('head')) return undefined;
  return schema.parse(sourceSchema, parametersOnce(request), { code: 'usage', what: 'removal' }).source;
}

/** The longest that a request waits for a batch, in seconds: below the times after which proxies give up. */
const longestWait = 25;

/** What else addresses of `/v1/facts` say. */
export const addressFields: {
  readonly since: schema.Schema<number>;
  readonly wait: schema.Schema<number>;
  readonly create: schema.OptionalSchema<'true' | 'false'>;
} = {
  since: schema.integerText({ min: 0 }),
  wait: schema.integerText({ min: 0, max: longestWait }),
  create: schema.optional(schema.oneOf(['true', 'false'])),
};
const createSchema = schema.object({ create: addressFields.create });

/** Whether an address lets changes create what the graph lacks: `?create=true`. Throws: `usage`. */
export function createsIn(request: Request): boolean {
  const given = schema.parse(createSchema, parametersOnce(request), { code: 'usage', what: 'address' });
  return given.create === 'true';
}
