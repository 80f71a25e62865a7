import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiOptions, createApp, createModelRegistry } from './index.ts';

let engine: Engine;
beforeAll(async () => {
  const { source, config, parameters } = await memoryBundle();
  engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
});

/** What callers without types may give. */
const given = (value: unknown): never => value as never;

describe('createApp', () => {
  const limits = [
    ...['bodyLimit', 'batchLimit', 'batchLines', 'batchCostLimit', 'batchAtOnce'],
    ...['maxK', 'costLimit', 'timeout'],
  ];

  it.each(limits)('refuses what is no %s: NaN, a negative number, a text', (name) => {
    for (const [value, got] of [
      [Number.NaN, 'NaN'],
      [-1, '-1'],
      ['5', '"5"'],
    ] as const)
      expect(() => createApp(engine, { [name]: value })).toThrow(
        expect.objectContaining({
          code: 'usage',
          path: `$.${name}`,
          message: expect.stringMatching(
            new RegExp(`^${name}: expected a number of at least [01], got ${got}$`),
          ),
        }),
      );
  });

  it.each(limits)('takes a %s without end, and none', (name) => {
    for (const value of [Number.POSITIVE_INFINITY, undefined])
      expect(() => createApp(engine, { [name]: value })).not.toThrow();
  });

  it.each([
    ['cors', 1],
    ['cors', ['*', 1]],
    // No browser sends these, so that they would let no page in.
    ['cors', 'graph.example'],
    ['cors', ['https://graph.example/']],
    ['mount', {}],
    ['mount', [{}]],
    ['mount', [null]],
    ['middleware', 3],
    ['middleware', [3]],
    ['onError', 'log'],
    ['pageStyle', 3],
    ['pageIcon', 3],
  ])('refuses %s: %j', (name, value) => {
    const options: ApiOptions = given({ [name]: value });
    expect(() => createApp(engine, options)).toThrow(
      expect.objectContaining({ code: 'usage', path: `$.${name}` }),
    );
  });

  it('refuses an option that there is not, whose limit would not hold, and what is no object', () => {
    expect(() => createApp(engine, given({ bodyLimt: 3 }))).toThrow(
      expect.objectContaining({
        ...{ code: 'usage', path: '$.bodyLimt', message: 'bodyLimt: expected no such key' },
        hint: 'did you mean "bodyLimit"?',
      }),
    );
    for (const value of [null, 3, 'x'])
      expect(() => createApp(engine, given(value))).toThrow(
        expect.objectContaining({
          code: 'usage',
          message: expect.stringContaining('expected an object, got '),
        }),
      );
  });

  it.each([[{}], [undefined], [null], ['countries']])('refuses what answers nothing: %j', (models) => {
    expect(() => createApp(given(models))).toThrow(
      expect.objectContaining({
        code: 'usage',
        path: '$.models',
        message: expect.stringContaining('expected an engine or a registry of models, got '),
      }),
    );
  });
});

describe('a registry of models', () => {
  it.each(['countries', [3], null])('refuses %j as the names that it expects', (value) => {
    expect(() => createModelRegistry(given(value))).toThrow(
      expect.objectContaining({ code: 'usage', path: '$.expected' }),
    );
  });

  it.each([2, null])('refuses %j as a version', async (version) => {
    await expect(createModelRegistry().put('a', engine, given(version))).rejects.toMatchObject({
      code: 'usage',
      message: `model a: expected its version as text, got ${version}`,
    });
  });

  it.each([[undefined], [null], [{}]])('refuses %j as an engine', async (value) => {
    await expect(createModelRegistry().put('a', given(value))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('model a: expected an engine, got '),
    });
  });
});
