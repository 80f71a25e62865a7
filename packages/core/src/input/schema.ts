import * as v from 'valibot';
import { FuzzError, type FuzzErrorCode, messageOf } from '../errors.ts';
import { didYouMean } from '../text/nearest.ts';
import { describeValue } from './describe-value.ts';

/**
 * How a value from outside (a manifest, a configuration, a request) becomes a typed one: a schema of valibot.
 *
 * The functions here are its schemas with two things added: messages that say what was expected and what was found,
 * and objects that refuse every unknown key with the nearest known one.
 */
export type Schema<T> = v.GenericSchema<unknown, T>;

/** A schema for a key that may be absent. */
export type OptionalSchema<T> = Schema<T> & { readonly type: 'exact_optional' };

/** A schema for a key with a value of its own when absent. */
export type DefaultSchema<T> = Schema<T> & { readonly type: 'optional' };

/** The type that a schema reads. */
export type Infer<S extends Schema<unknown>> = v.InferOutput<S>;

type Fields = Readonly<Record<string, Schema<unknown>>>;
type OptionalKey<F> = { [K in keyof F]: F[K] extends OptionalSchema<unknown> ? K : never }[keyof F];
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** The type of an object with the given fields. */
export type ObjectOf<F extends Fields> = Flat<
  { [K in Exclude<keyof F, OptionalKey<F>>]: Infer<F[K]> } & { [K in OptionalKey<F>]?: Infer<F[K]> }
>;

/** The least and the greatest number allowed, both included, or one that it has to exceed. */
export interface Bounds {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
}

/** What is being read, for the error. */
export interface ParseOptions {
  readonly code: FuzzErrorCode;
  /** What it should be, as in `training configuration`. */
  readonly what: string;
  /** Where it stands: a JSON path, which the issues' paths continue, or a file, which the error names next to them. */
  readonly path?: string;
}

/** Notes that something is wrong at a path of keys below a value. */
export type Report = (path: readonly (string | number)[], expected: string, got: string) => void;

/** Any string. */
export const string: v.GenericSchema<string> = v.string(says('a string'));

/** True or false. */
export const boolean: Schema<boolean> = v.boolean(says('true or false'));

/** Whatever stands there, for a part that another reader takes. */
export const anything: Schema<unknown> = v.unknown();

/** A finite number within bounds. */
export function number(bounds: Bounds = {}): Schema<number> {
  const message = says(`a number${boundsText(bounds)}`);
  return v.pipe(v.number(message), v.finite(message), ...within(bounds, message));
}

/** A whole number within bounds, small enough to be exact. */
export function integer(bounds: Bounds = {}): v.GenericSchema<number> {
  const message = says(`an integer${boundsText(bounds)}`);
  return v.pipe(v.number(message), v.safeInteger(message), ...within(bounds, message));
}

/** A whole number written as text, as the parameters of an address are. */
export function integerText(bounds: Bounds = {}): Schema<number> {
  const message = says(`an integer${boundsText(bounds)}`);
  return v.pipe(
    v.string(message),
    v.regex(/^-?\d+$/, message),
    v.transform((text) => Number(text)),
    integer(bounds),
  );
}

/** A string of a given form. */
export function matching(pattern: RegExp, expected: string): v.GenericSchema<string> {
  return v.pipe(v.string(says(expected)), v.regex(pattern, says(expected)));
}

/** One of the given strings or numbers. */
export function oneOf<const T extends string | number>(choices: readonly T[]): Schema<T> {
  const near = (input: unknown): string =>
    typeof input === 'string' ? didYouMean(input, choices.map(String), '') : '';
  return v.picklist(
    choices,
    says(`one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`, near),
  );
}

/** An array with so many items as the bounds allow. */
export function array<T>(item: Schema<T>, bounds: Bounds = {}): Schema<readonly T[]> {
  const expected = `an array with a length${boundsText(bounds)}`;
  const message = ({ input }: v.BaseIssue<readonly T[]>): string =>
    statement(expected, `length ${input.length}`);
  const { min, max } = bounds;
  return v.pipe(
    v.array(item, says('an array')),
    ...(min === undefined ? [] : [v.minLength<T[], number, typeof message>(min, message)]),
    ...(max === undefined ? [] : [v.maxLength<T[], number, typeof message>(max, message)]),
  );
}

/** An object with any keys (or those of a form) and values of one kind. */
export function record<T>(
  value: Schema<T>,
  key: v.GenericSchema<string> = string,
): Schema<Readonly<Record<string, T>>> {
  const schema = v.record(key, value, says('an object'));
  return {
    ...schema,
    '~run'(dataset, config) {
      const input = dataset.value;
      if (!isObject(input)) return refuse(schema, dataset, config);
      const result = schema['~run']({ value: input }, config);
      // The library drops these in silence.
      for (const name of ['__proto__', 'constructor', 'prototype'])
        if (Object.hasOwn(input, name)) refuseKey(schema, result, config, input, name, '');
      return result;
    },
  };
}

/** An object with the given keys and no others; a key without a value counts as absent. */
export function object<const F extends Fields>(fields: F): Schema<ObjectOf<F>> {
  return objectWith(fields, (key) => {
    const known = Object.keys(fields);
    return didYouMean(key, known, `known keys: ${known.join(', ')}`);
  });
}

/** An object of which only the given keys are looked at: a file that others write, or that need only be recognised. */
export function partOf<const F extends Fields>(fields: F): Schema<ObjectOf<F>> {
  return objectWith(fields);
}

/** Reads the given keys, and refuses others where there is a hint for them. */
function objectWith<const F extends Fields>(
  fields: F,
  hintFor?: (key: string) => string,
): Schema<ObjectOf<F>> {
  const message = says('an object');
  const schema: Context = hintFor === undefined ? v.object(fields, message) : v.strictObject(fields, message);
  const read: Schema<unknown> = {
    ...schema,
    '~run'(dataset, config) {
      const input = dataset.value;
      if (!isObject(input)) return refuse(schema, dataset, config);
      const given: Record<string, unknown> = {};
      for (const [key, field] of Object.entries(fields)) {
        const value = Object.hasOwn(input, key) ? input[key] : undefined;
        // A missing key is read as nothing, so that its own schema says what was expected.
        if (value !== undefined || !/optional$/.test(field.type)) given[key] = value;
      }
      const result = schema['~run']({ value: given }, config);
      if (hintFor === undefined) return result;
      const unknown = Object.keys(input).filter((key) => !Object.hasOwn(fields, key));
      // One less than an error lists: the last line counts the others.
      const told = unknown.length > maxIssues ? unknown.slice(0, maxIssues - 1) : unknown;
      for (const key of told) refuseKey(schema, result, config, input, key, hintFor(key));
      const rest = unknown.length - told.length;
      if (rest > 0)
        v._addIssue(schema, 'key', result, config, {
          input,
          message: statement('no such keys', `${rest} more`),
        });
      return result;
    },
  };
  // Each entry was read by the field of its key, which is what ObjectOf says.
  return read as Schema<ObjectOf<F>>;
}

/** One schema for each of the names, as fields of `object`. */
export function fieldsOf<const K extends string, S extends Schema<unknown>>(
  names: readonly K[],
  schema: S,
): Readonly<Record<K, S>> {
  // Every name gets a schema, which is what the record says.
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<K, S>;
}

/** For a key of `object` that may be absent. */
export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
  return v.exactOptional(schema);
}

/** A value, or null where there is none. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return v.nullable(schema);
}

/** For a key of `object` that has a value of its own when absent. */
export function withDefault<T>(schema: Schema<T>, fallback: NoInfer<T>): DefaultSchema<T> {
  const read: Schema<unknown> & { readonly type: 'optional' } = v.optional(schema, () => fallback);
  // With a value of its own it never reads as undefined.
  return read as DefaultSchema<T>;
}

/** Whichever of the schemas reads the value; if none does, the issues of the one that comes closest. */
export function union<const S extends readonly [Schema<unknown>, ...Schema<unknown>[]]>(
  schemas: S,
): Schema<Infer<S[number]>> {
  const read: Schema<unknown> = {
    ...v.union(schemas),
    '~run'({ value }, config) {
      const results: Result[] = [];
      for (const schema of schemas) {
        const result = schema['~run']({ value }, config);
        // What others have against it is of no interest, and takes long to say: each looks for near keys.
        if (result.issues === undefined) return result;
        results.push(result);
      }
      return results.reduce((closest, result) =>
        distanceOf(result) < distanceOf(closest) ? result : closest,
      );
    },
  };
  return read as Schema<Infer<S[number]>>;
}

/** A schema that looks further at what another has read without an issue. */
export function checked<T>(schema: Schema<T>, check: (value: T, report: Report) => void): Schema<T> {
  return v.pipe(
    schema,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      check(dataset.value, (keys, expected, got) => {
        const [first, ...rest] = keys.map((key) => pathItem(undefined, key));
        const message = statement(expected, got);
        addIssue(first === undefined ? { message } : { message, path: [first, ...rest] });
      });
    }),
  );
}

/** All that is wrong with a value, each with its JSON path; empty when nothing is. */
export function issuesOf(
  schema: Schema<unknown>,
  value: unknown,
  path = '$',
): { readonly path: string; readonly message: string }[] {
  const { issues = [] } = v.safeParse(schema, value, { abortEarly: false, abortPipeEarly: true });
  return issues.map((issue) => ({ path: pathOf(issue, path), message: issue.message }));
}

/**
 * Reads a value from outside, or says everything that is wrong with it at once.
 *
 * @throws FuzzError with the given code; each issue is `$.path: expected X, got Y`.
 */
export function parse<T>(schema: Schema<T>, value: unknown, options: ParseOptions): T {
  const result = v.safeParse(schema, value, { abortEarly: false, abortPipeEarly: true });
  if (result.success) return result.output;
  const inJson = options.path?.startsWith('$') === true;
  const { issues } = result;
  const lines = issues
    .slice(0, maxIssues)
    .map((issue) => `${pathOf(issue, inJson ? options.path! : '$')}: ${issue.message}`);
  if (issues.length > maxIssues) lines.push(`and ${issues.length - maxIssues} more`);
  const list = lines.length === 1 ? ` ${lines[0]}` : lines.map((line) => `\n  ${line}`).join('');
  throw new FuzzError(options.code, `${options.what}:${list}`, {
    ...(options.path === undefined || inJson ? {} : { path: options.path }),
    hint: issues.length === 1 ? 'Correct the value and try again.' : `Correct these ${issues.length} values.`,
  });
}

/**
 * Reads JSON from text, or says what is wrong with it.
 *
 * @throws FuzzError with the given code: not JSON, or as `parse` does.
 */
export function parseJson<T>(
  schema: Schema<T>,
  text: string,
  options: ParseOptions & { readonly hint?: string },
): T {
  let value: unknown;
  try {
    // Editors write a byte order mark that nobody sees, and JSON.parse takes it for a word (RFC 8259, 8.1, lets it be passed over).
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    const { code, what, path, hint } = options;
    throw new FuzzError(code, `${what}: not JSON: ${messageOf(cause)}`, {
      ...(path === undefined ? {} : { path }),
      ...(hint === undefined ? {} : { hint }),
      cause,
    });
  }
  return parse(schema, value, options);
}

/** What JSON text holds, or undefined where it is not JSON or the schema does not read it. */
export function recogniseJson<T>(schema: Schema<T>, text: string): T | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(text), { abortEarly: true });
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

/** Issues that one error lists: more are seldom read, and a large array may have millions. */
const maxIssues = 20;

type Message = (issue: v.BaseIssue<unknown>) => string;
type Config = v.Config<v.BaseIssue<unknown>>;
type Result = v.OutputDataset<unknown, v.BaseIssue<unknown>>;
/** A schema as `_addIssue` needs it. */
type Context = v.GenericSchema & { readonly message?: v.ErrorMessage<v.BaseIssue<unknown>> | undefined };

function says(expected: string, hint: (input: unknown) => string = () => ''): Message {
  return ({ input }) => statement(expected, describeValue(input), hint(input));
}

function statement(expected: string, got: string, hint = ''): string {
  return `expected ${expected}, got ${got}${hint === '' ? '' : ` (${hint})`}`;
}

function within(
  { min, above, max }: Bounds,
  message: Message,
): v.GenericValidation<number, number, v.BaseIssue<unknown>>[] {
  return [
    ...(min === undefined ? [] : [v.minValue<number, number, Message>(min, message)]),
    ...(above === undefined ? [] : [v.gtValue<number, number, Message>(above, message)]),
    ...(max === undefined ? [] : [v.maxValue<number, number, Message>(max, message)]),
  ];
}

/** The library takes an array, too, where an object should be. */
function refuse(
  schema: Context,
  dataset: v.UnknownDataset,
  config: Config,
): v.FailureDataset<v.BaseIssue<unknown>> {
  v._addIssue(schema, 'type', dataset, config);
  // The issue has been added, which is what the type says.
  return dataset as unknown as v.FailureDataset<v.BaseIssue<unknown>>;
}

function refuseKey(
  schema: Context,
  result: Result,
  config: Config,
  input: Readonly<Record<string, unknown>>,
  key: string,
  hint: string,
): void {
  v._addIssue(schema, 'key', result, config, {
    input: input[key],
    path: [pathItem(input, key)],
    message: statement('no such key', describeValue(input[key]), hint),
  });
}

function pathItem(input: unknown, key: string | number): v.UnknownPathItem {
  return { type: 'unknown', origin: 'value', input, key, value: undefined };
}

/** How far a schema was from reading a value: 0 where it did, most where the value was of another kind altogether. */
function distanceOf({ issues }: Result): number {
  if (issues === undefined) return 0;
  return issues.some(({ path }) => path === undefined) ? Number.POSITIVE_INFINITY : issues.length;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function boundsText({ min, above, max }: Bounds): string {
  if (min !== undefined && max !== undefined) return ` in [${min}, ${max}]`;
  if (above !== undefined) return max === undefined ? ` > ${above}` : ` in (${above}, ${max}]`;
  if (min !== undefined) return ` >= ${min}`;
  return max === undefined ? '' : ` <= ${max}`;
}

function pathOf({ path }: v.BaseIssue<unknown>, start: string): string {
  let at = start;
  for (const { key } of path ?? [])
    at = typeof key === 'number' ? `${at}[${key}]` : joinPath(at, String(key));
  return at;
}

function joinPath(path: string, key: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
