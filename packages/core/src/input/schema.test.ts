import { describe, expect, expectTypeOf, it } from 'vitest';
import { fuzzErrorOf } from '../testing/fuzz-error-of.ts';
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
    const error = fuzzErrorOf(() =>
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
    expect(fuzzErrorOf(() => read({ name: 'a', steps: 3, rtae: 1 })).message).toBe(
      'training: $.rtae: expected no such key, got 1 (did you mean "rate"?)',
    );
  });

  it('names the file beside the JSON path', () => {
    const error = fuzzErrorOf(() => read({ name: 'a', steps: 'x' }, 'train.json'));
    expect(error.path).toBe('train.json');
    expect(error.message).toContain('$.steps: expected an integer >= 1, got "x"');
  });

  it('continues a JSON path', () => {
    expect(fuzzErrorOf(() => read({ name: 1, steps: 2 }, '$.body')).message).toContain(
      '$.body.name: expected',
    );
  });

  it.each([null, [], 'x', 3, undefined])('refuses %j in place of an object', (value) => {
    expect(fuzzErrorOf(() => read(value)).message).toContain('$: expected an object');
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
    expect(fuzzErrorOf(() => read(value)).message).toContain('$.constructor: expected no such key');
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const issues = s.issuesOf(s.record(s.anything), JSON.parse(`{"${key}": {"admin": true}, "other": 1}`));
      expect(issues).toEqual([{ path: `$.${key}`, message: 'expected no such key, got {"admin":true}' }]);
    }
    expect(s.issuesOf(s.object({}), JSON.parse('{"__proto__": 1}')).map(({ path }) => path)).toEqual([
      '$.__proto__',
    ]);
  });

  it('quotes keys that are no plain words', () => {
    expect(s.issuesOf(s.record(s.string), { 'a b': 1 })[0]?.path).toBe('$["a b"]');
  });
});

describe('record', () => {
  it('holds its keys to a form', () => {
    const schema = s.record(s.integer(), s.matching(/^[a-z]+$/, 'small letters'));
    expect(s.issuesOf(schema, { a: 1 })).toEqual([]);
    expect(s.issuesOf(schema, { A: 1 })).toEqual([
      { path: '$.A', message: 'expected small letters, got "A"' },
    ]);
  });

  it.each([null, [], [1], 'x', undefined])('refuses %j in place of an object', (value) => {
    expect(s.issuesOf(s.record(s.anything), value)[0]?.message).toMatch(/^expected an object, got /);
  });
});

describe('number', () => {
  it('says which border it has to exceed', () => {
    const schema = s.number({ above: 0, max: 1 });
    expect(s.issuesOf(schema, Number.MIN_VALUE)).toEqual([]);
    expect(s.issuesOf(schema, 0)).toEqual([{ path: '$', message: 'expected a number in (0, 1], got 0' }]);
  });
});

describe('checked', () => {
  const pair = s.checked(s.object({ a: s.integer(), b: s.integer() }), ({ a, b }, report) => {
    if (a > b) report(['b'], `at least ${a}`, `${b}`);
  });

  it('looks at what was read without an issue, and only at that', () => {
    expect(s.issuesOf(pair, { a: 1, b: 2 })).toEqual([]);
    expect(s.issuesOf(pair, { a: 3, b: 2 })).toEqual([
      { path: '$.b', message: 'expected at least 3, got 2' },
    ]);
    expect(s.issuesOf(pair, { a: 'x', b: 2 }).map(({ path }) => path)).toEqual(['$.a']);
    expect(s.issuesOf(s.array(pair), [{ a: 3, b: 2 }])[0]?.path).toBe('$[0].b');
  });
});

describe('parseJson', () => {
  const options = { code: 'config', what: 'training', path: 'train.json' } as const;

  it('reads text', () => {
    expect(s.parseJson(training, '{"name": "a", "steps": 3}', options).steps).toBe(3);
    expect(s.parseJson(training, '\uFEFF{"name": "a", "steps": 3}', options).steps).toBe(3);
  });

  it('says where text is not JSON, and how to mend it', () => {
    const error = fuzzErrorOf(() => s.parseJson(training, '{', { ...options, hint: 'Mend it.' }));
    expect(error).toMatchObject({ code: 'config', path: 'train.json', hint: 'Mend it.' });
    expect(error.message).toMatch(/^training: not JSON: /);
  });
});

describe('integerText', () => {
  const schema = s.integerText({ min: 1, max: 1000 });

  it('reads digits as a number', () => {
    expect(s.parse(schema, '17', { code: 'range', what: 'limit' })).toBe(17);
  });

  it.each(['', ' 1', '1.5', '1e3', '0x1', '0', '1001', '-1', 5])('refuses %j', (value) => {
    expect(s.issuesOf(schema, value)[0]?.message).toMatch(/^expected an integer in \[1, 1000\], got /);
  });
});

describe('partOf', () => {
  const schema = s.partOf({ format: s.oneOf(['it']), files: s.withDefault(s.record(s.anything), {}) });

  it('looks only at the keys that it knows', () => {
    expect(s.recogniseJson(schema, '{"format": "it", "newer": 1}')).toEqual({ format: 'it', files: {} });
  });

  it.each(['', '{', 'null', '[]', '{"format": "other"}', '{"format": "it", "files": []}'])(
    'does not recognise %j',
    (text) => {
      expect(s.recogniseJson(schema, text)).toBeUndefined();
    },
  );
});

describe('large and deep input', () => {
  it('lists only the first issues of many', () => {
    const many = Array.from({ length: 100_000 }, () => 'x');
    const { message, hint } = fuzzErrorOf(() =>
      s.parse(s.array(s.integer()), many, { code: 'data', what: 'ids' }),
    );
    expect(message.split('\n')).toHaveLength(22);
    expect(message).toMatch(/and 99980 more$/);
    expect(hint).toBe('Correct these 100000 values.');
  });

  it('counts unknown keys that are too many to name', () => {
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]));
    const options = { code: 'query', what: 'request', path: '$' } as const;
    const [some, many] = [20, 26_000].map((count) =>
      fuzzErrorOf(() => s.parse(s.object({}), keys(count), options)),
    );
    expect(some!.message.split('\n')).toHaveLength(21);
    expect(some!.message).not.toContain('more');
    expect(many!.message.split('\n')).toHaveLength(21);
    expect(many!.message).toMatch(/\$: expected no such keys, got 25981 more$/);
  });

  it('is no deeper to read than its schema', () => {
    const depth = 50_000;
    const deep: unknown = JSON.parse(`${'{"name":'.repeat(depth)}1${'}'.repeat(depth)}`);
    expect(fuzzErrorOf(() => read(deep)).message).toContain('$.name: expected a string, got ');
    expect(s.issuesOf(s.record(s.anything), deep)).toEqual([]);
  });
});

describe('union', () => {
  const either = s.union([s.string, s.object({ id: s.integer() })]);

  it('reads either', () => {
    expect(s.issuesOf(either, 'x')).toEqual([]);
    expect(s.issuesOf(either, { id: 1 })).toEqual([]);
  });

  it('reports the alternative that comes closest', () => {
    expect(s.issuesOf(either, { id: 'x' }).map(({ path }) => path)).toEqual(['$.id']);
    const shapes = s.union([
      s.object({ kind: s.oneOf(['circle']), radius: s.number() }),
      s.object({ kind: s.oneOf(['box']), width: s.number(), longSide: s.number() }),
    ]);
    expect(s.issuesOf(shapes, { kind: 'circle', radius: 'x' }).map(({ path }) => path)).toEqual(['$.radius']);
  });
});
