import { describe, expect, expectTypeOf, it } from 'vitest';
import { FuzzError } from '../errors.ts';
import * as s from './schema.ts';

const training = s.object({
  name: s.string,
  steps: s.integer({ min: 1 }),
  rate: s.withDefault(s.number({ min: 0, max: 1 }), 0.5),
  device: s.optional(s.oneOf(['cpu', 'cuda', 'webgpu'])),
  structures: s.withDefault(s.array(s.string, { min: 1 }), ['1p']),
  labels: s.optional(s.record(s.boolean)),
});

const read = (value: unknown, path?: string) =>
  s.parse(training, value, { code: 'config', what: 'training', ...(path === undefined ? {} : { path }) });

function errorOf(run: () => unknown): FuzzError {
  try {
    run();
  } catch (error) {
    if (error instanceof FuzzError) return error;
    throw error;
  }
  throw new Error('expected an error');
}

describe('parse', () => {
  it('reads what fits, fills in defaults and leaves absent keys out', () => {
    const value = read({ name: 'a', steps: 3 });
    expect(value).toEqual({ name: 'a', steps: 3, rate: 0.5, structures: ['1p'] });
    expect('device' in value).toBe(false);
  });

  it('infers the type', () => {
    expectTypeOf(read({ name: 'a', steps: 3 })).toEqualTypeOf<{
      readonly name: string;
      readonly steps: number;
      readonly rate: number;
      readonly device?: 'cpu' | 'cuda' | 'webgpu';
      readonly structures: readonly string[];
      readonly labels?: Readonly<Record<string, boolean>>;
    }>();
  });

  it('says all that is wrong in one error', () => {
    const error = errorOf(() =>
      read({ steps: 0, rate: 2, device: 'cudda', structures: [], labels: { x: 1 } }),
    );
    expect(error.code).toBe('config');
    expect(error.message.split('\n').map((line) => line.trim())).toEqual([
      'training:',
      '$.name: expected a string, got nothing',
      '$.steps: expected an integer >= 1, got 0',
      '$.rate: expected a number in [0, 1], got 2',
      '$.device: expected one of "cpu", "cuda", "webgpu", got "cudda" (did you mean "cuda"?)',
      '$.structures: expected an array with a length >= 1, got length 0',
      '$.labels.x: expected true or false, got 1',
    ]);
  });

  it('refuses unknown keys and offers the nearest known one', () => {
    expect(errorOf(() => read({ name: 'a', steps: 3, rtae: 1 })).message).toBe(
      'training: $.rtae: expected no such key, got 1 (did you mean "rate"?)',
    );
  });

  it('names the file beside the JSON path', () => {
    const error = errorOf(() => read({ name: 'a', steps: 'x' }, 'train.json'));
    expect(error.path).toBe('train.json');
    expect(error.message).toContain('$.steps: expected an integer >= 1, got "x"');
  });

  it('continues a JSON path', () => {
    expect(errorOf(() => read({ name: 1, steps: 2 }, '$.body')).message).toContain('$.body.name: expected');
  });

  it.each([null, [], 'x', 3, undefined])('refuses %j in place of an object', (value) => {
    expect(errorOf(() => read(value)).message).toContain('$: expected an object');
  });

  it('takes only finite and exact numbers', () => {
    const refuses = (schema: s.Schema<unknown>, value: unknown) => s.issuesOf(schema, value).length === 1;
    expect(refuses(s.number(), Number.NaN)).toBe(true);
    expect(refuses(s.number(), Number.POSITIVE_INFINITY)).toBe(true);
    expect(refuses(s.integer(), 1.5)).toBe(true);
    expect(refuses(s.integer(), 2 ** 53)).toBe(true);
    expect(refuses(s.number({ max: 2 }), 2)).toBe(false);
    expect(refuses(s.integer(), -4)).toBe(false);
  });

  it('is not led astray by keys that every object inherits', () => {
    const value = JSON.parse('{"name": "a", "steps": 1, "constructor": 1}');
    expect(errorOf(() => read(value)).message).toContain('$.constructor: expected no such key');
    const polluted = s.parse(s.record(s.anything), JSON.parse('{"__proto__": {"admin": true}}'), {
      code: 'data',
      what: 'x',
    });
    expect(Object.hasOwn(polluted, '__proto__')).toBe(true);
    expect('admin' in polluted).toBe(false);
  });

  it('quotes keys that are no plain words', () => {
    expect(s.issuesOf(s.record(s.string), { 'a b': 1 })[0]?.path).toBe('$["a b"]');
  });
});

describe('union', () => {
  const either = s.union([s.string, s.object({ id: s.integer() })]);

  it('reads either', () => {
    expect(s.issuesOf(either, 'x')).toEqual([]);
    expect(s.issuesOf(either, { id: 1 })).toEqual([]);
  });

  it('reports the alternative that came furthest', () => {
    expect(s.issuesOf(either, { id: 'x' }).map(({ path }) => path)).toEqual(['$.id']);
  });
});
