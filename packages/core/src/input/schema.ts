import { FuzzError, type FuzzErrorCode } from '../errors.ts';
import { describeValue } from './describe-value.ts';
import { didYouMean } from './nearest.ts';

/** One thing wrong with a value from outside. */
export interface Issue {
  /** Where, as a JSON path: `$.train.rates[0]`. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  readonly hint?: string;
}

/** How a value from outside (a manifest, a configuration, a request) becomes a typed one. */
export interface Schema<T> {
  /** Reads a value and notes all that is wrong with it; what it returns counts only if it noted nothing. */
  read(value: unknown, path: string, issues: Issue[]): T;
}

/** A schema for a key that may be absent. */
export interface OptionalSchema<T> extends Schema<T> {
  readonly absent: 'left out';
}

/** A schema for a key with a value of its own when absent. */
export interface DefaultSchema<T> extends Schema<T> {
  readonly absent: 'default';
  readonly fallback: T;
}

/** The type that a schema reads. */
export type Infer<S> = S extends Schema<infer T> ? T : never;

type Fields = Readonly<Record<string, Schema<unknown>>>;
type OptionalKey<F> = { [K in keyof F]: F[K] extends OptionalSchema<unknown> ? K : never }[keyof F];
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** The type of an object with the given fields. */
export type ObjectOf<F> = Flat<
  { [K in Exclude<keyof F, OptionalKey<F>>]: Infer<F[K]> } & { [K in OptionalKey<F>]?: Infer<F[K]> }
>;

/** The least and the greatest number allowed, both included. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** What is being read, for the error. */
export interface ParseOptions {
  readonly code: FuzzErrorCode;
  /** What it should be, as in `training configuration`. */
  readonly what: string;
  /** Where it stands: a JSON path, which the issues' paths continue, or a file, which the error names beside them. */
  readonly path?: string;
}

/** Any string. */
export const string: Schema<string> = leaf('a string', (value) => typeof value === 'string');

/** True or false. */
export const boolean: Schema<boolean> = leaf('true or false', (value) => typeof value === 'boolean');

/** Whatever stands there, for a part that another reader takes. */
export const anything: Schema<unknown> = { read: (value) => value };

/** A finite number within bounds. */
export function number(bounds: Bounds = {}): Schema<number> {
  return leaf(
    `a number${boundsText(bounds)}`,
    (value): value is number => Number.isFinite(value) && within(value as number, bounds),
  );
}

/** A whole number within bounds, small enough to be exact. */
export function integer(bounds: Bounds = {}): Schema<number> {
  return leaf(
    `an integer${boundsText(bounds)}`,
    (value): value is number => Number.isSafeInteger(value) && within(value as number, bounds),
  );
}

/** One of the given strings or numbers. */
export function oneOf<const T extends string | number>(choices: readonly T[]): Schema<T> {
  const expected = `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  return {
    read(value, path, issues) {
      const found = choices.find((choice) => choice === value);
      if (found !== undefined) return found;
      const hint = typeof value === 'string' ? didYouMean(value, choices.map(String), '') : '';
      return fail(issues, path, expected, value, hint);
    },
  };
}

/** An array with so many items as the bounds allow. */
export function array<T>(item: Schema<T>, bounds: Bounds = {}): Schema<readonly T[]> {
  return {
    read(value, path, issues) {
      if (!Array.isArray(value)) return fail(issues, path, 'an array', value);
      if (!within(value.length, bounds)) {
        issues.push({
          path,
          expected: `an array with a length${boundsText(bounds)}`,
          got: `length ${value.length}`,
        });
      }
      return value.map((entry: unknown, i) => item.read(entry, `${path}[${i}]`, issues));
    },
  };
}

/** An object with any keys and values of one kind. */
export function record<T>(item: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return {
    read(value, path, issues) {
      if (!isObject(value)) return fail(issues, path, 'an object', value);
      const entries = Object.entries(value);
      return Object.fromEntries(
        entries.map(([key, entry]) => [key, item.read(entry, joinPath(path, key), issues)]),
      );
    },
  };
}

/** An object with the given keys and no others. */
export function object<const F extends Fields>(fields: F): Schema<ObjectOf<F>> {
  const known = Object.keys(fields);
  return {
    read(value, path, issues) {
      if (!isObject(value)) return fail(issues, path, 'an object', value);
      for (const key of Object.keys(value)) {
        if (Object.hasOwn(fields, key)) continue;
        const hint = didYouMean(key, known, `known keys: ${known.join(', ')}`);
        issues.push({
          path: joinPath(path, key),
          expected: 'no such key',
          got: describeValue(value[key]),
          hint,
        });
      }
      const entries: [string, unknown][] = [];
      for (const key of known) {
        const field = fields[key]!;
        const present = Object.hasOwn(value, key) && value[key] !== undefined;
        if (present) entries.push([key, field.read(value[key], joinPath(path, key), issues)]);
        else if (isDefault(field)) entries.push([key, field.fallback]);
        else if (!isOptional(field)) field.read(undefined, joinPath(path, key), issues);
      }
      // Each entry was read by the field of its key, which is what ObjectOf says.
      return Object.fromEntries(entries) as ObjectOf<F>;
    },
  };
}

/** For a key of `object` that may be absent. */
export function optional<T>(schema: Schema<T>): OptionalSchema<T> {
  return { absent: 'left out', read: (value, path, issues) => schema.read(value, path, issues) };
}

/** For a key of `object` that has a value of its own when absent. */
export function withDefault<T>(schema: Schema<T>, fallback: NoInfer<T>): DefaultSchema<T> {
  return { absent: 'default', fallback, read: (value, path, issues) => schema.read(value, path, issues) };
}

/** Whichever of the schemas reads the value; if none does, the issues of the one that came furthest. */
export function union<const S extends readonly [Schema<unknown>, ...Schema<unknown>[]]>(
  schemas: S,
): Schema<Infer<S[number]>> {
  return {
    read(value, path, issues) {
      let closest: Issue[] | undefined;
      for (const schema of schemas) {
        const found: Issue[] = [];
        const result = schema.read(value, path, found) as Infer<S[number]>;
        if (found.length === 0) return result;
        if (closest === undefined || deepest(found) > deepest(closest)) closest = found;
      }
      issues.push(...(closest ?? []));
      return unread();
    },
  };
}

/** All that is wrong with a value; empty when nothing is. */
export function issuesOf(schema: Schema<unknown>, value: unknown, path = '$'): Issue[] {
  const issues: Issue[] = [];
  schema.read(value, path, issues);
  return issues;
}

/**
 * Reads a value from outside, or says everything that is wrong with it at once.
 *
 * @throws FuzzError with the given code; each issue is `$.path: expected X, got Y`.
 */
export function parse<T>(schema: Schema<T>, value: unknown, options: ParseOptions): T {
  const inJson = options.path?.startsWith('$') === true;
  const issues: Issue[] = [];
  const result = schema.read(value, inJson ? options.path! : '$', issues);
  if (issues.length === 0) return result;
  const lines = issues.map((issue) => {
    const hint = issue.hint === undefined ? '' : ` (${issue.hint})`;
    return `${issue.path}: expected ${issue.expected}, got ${issue.got}${hint}`;
  });
  const list = lines.length === 1 ? ` ${lines[0]}` : lines.map((line) => `\n  ${line}`).join('');
  throw new FuzzError(options.code, `${options.what}:${list}`, {
    ...(options.path === undefined || inJson ? {} : { path: options.path }),
    hint: lines.length === 1 ? 'Correct the value and try again.' : `Correct these ${lines.length} values.`,
  });
}

function leaf<T>(expected: string, accepts: (value: unknown) => value is T): Schema<T> {
  return { read: (value, path, issues) => (accepts(value) ? value : fail(issues, path, expected, value)) };
}

function fail<T>(issues: Issue[], path: string, expected: string, value: unknown, hint = ''): T {
  issues.push({ path, expected, got: describeValue(value), ...(hint === '' ? {} : { hint }) });
  return unread();
}

/** Stands for the value that could not be read; nobody looks at it, because an issue has been noted. */
function unread<T>(): T {
  return undefined as T;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDefault(schema: Schema<unknown>): schema is DefaultSchema<unknown> {
  return 'absent' in schema && schema.absent === 'default';
}

function isOptional(schema: Schema<unknown>): schema is OptionalSchema<unknown> {
  return 'absent' in schema && schema.absent === 'left out';
}

function within(value: number, { min, max }: Bounds): boolean {
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

function boundsText({ min, max }: Bounds): string {
  if (min !== undefined && max !== undefined) return ` in [${min}, ${max}]`;
  if (min !== undefined) return ` >= ${min}`;
  return max === undefined ? '' : ` <= ${max}`;
}

function joinPath(path: string, key: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

function deepest(issues: readonly Issue[]): number {
  return Math.max(...issues.map((issue) => issue.path.length));
}
