import { asEntityId, asRelationId } from '@fuzzqe/core';
import { and, entity, not, or, project, type Query, readQuery, writeQuery } from '@fuzzqe/core/query';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';

const vocabulary = createVocabulary({
  entities: [
    { key: 'Q142', label: 'France' },
    { key: 'Q4916', label: 'Euro' },
  ],
  relations: [
    { key: 'P47', label: 'borders' },
    { key: 'P38', label: 'currency' },
    { key: 'P38^-1', label: 'a key that looks like an inverse' },
  ],
});
const e = (id: number) => entity(asEntityId(id));
const p = (id: number, from: Query) => project(asRelationId(id), from);

describe('readQuery', () => {
  it.each<[unknown, Query]>([
    [{ entity: 'Q142' }, e(0)],
    [{ entity: 'euro' }, e(1)],
    [{ entity: 1 }, e(1)],
    [{ project: -0, from: { entity: -0 } }, p(0, e(0))],
    [{ project: 'P47', from: { entity: 0 } }, p(0, e(0))],
    [{ project: 'borders^-1', from: { entity: 0 } }, p(1, e(0))],
    [{ project: 'currency^-1', from: { entity: 0 } }, p(3, e(0))],
    [{ project: 'P38^-1', from: { entity: 0 } }, p(4, e(0))],
    [{ from: { entity: 0 }, project: 5 }, p(5, e(0))],
    [{ and: [{ entity: 0 }, { not: { entity: 1 } }] }, and(e(0), not(e(1)))],
    [{ or: [{ entity: 0 }, 'project(borders, Euro)'] }, or(e(0), p(0, e(1)))],
    ['not(France)', not(e(0))],
  ])('reads %j', (value, query) => {
    expect(readQuery(value, vocabulary)).toEqual(query);
  });

  it.each([
    { op: 'entity', entity: 0 },
    { op: 'and', operands: [] },
  ])('says of the tree of a program, %j, what makes JSON of it', (tree) => {
    expect(() => readQuery(tree, vocabulary)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/got the key "op"$/),
        hint: expect.stringContaining('writeQuery(query, vocabulary)'),
      }),
    );
  });

  it.each([
    [{ entity: 2 }, 'range', '$.entity', 'entity id: expected an integer in [0, 2), got 2'],
    [{ entity: -1 }, 'range', '$.entity', 'got -1'],
    [{ entity: 0.5 }, 'range', '$.entity', 'got 0.5'],
    [{ project: 6, from: { entity: 0 } }, 'range', '$.project', 'in [0, 6), got 6'],
    [{ entity: 'Frnace' }, 'vocabulary', '$.entity', 'got "Frnace"'],
    [{ and: [{ entity: 0 }, { project: 'x', from: 'France' }] }, 'vocabulary', '$.and[1].project', 'got "x"'],
    [{ entity: null }, 'query', '$.entity', 'expected an entity: its key, label or id, got null'],
    [{ and: [{ entity: 0 }] }, 'query', '$.and', 'expected two or more operands, got 1'],
    [{ or: [] }, 'query', '$.or', 'got 0'],
    [{ or: { entity: 0 } }, 'query', '$.or', 'expected an array of queries'],
    [{ not: [{ entity: 0 }] }, 'query', '$.not', 'got [{"entity":0}]'],
    [{ project: 'P47' }, 'query', '$', 'expected the key "from" beside "project"'],
    [{ entity: 0, not: 'France' }, 'query', '$', 'expected no key beside entity, got the key "not"'],
    [{ project: 'P47', form: 'France' }, 'query', '$', 'expected no key beside project and from'],
    [{}, 'query', '$', 'got {}'],
    [[], 'query', '$', 'got []'],
    [null, 'query', '$', 'got null'],
    [3, 'query', '$', 'got 3'],
    [{ not: 'and(France)' }, 'query', '$.not, line 1, column 1', 'got 1'],
  ])('refuses %j', (value, code, path, message) => {
    expect(() => readQuery(value, vocabulary)).toThrow(
      expect.objectContaining({ code, path, message: expect.stringContaining(message) }),
    );
  });

  it('offers the key that was meant', () => {
    const hint = (value: unknown) => {
      try {
        return readQuery(value, vocabulary);
      } catch (error) {
        return (error as { hint?: string }).hint;
      }
    };
    expect(hint({ entitiy: 'France' })).toBe('did you mean "entity"?');
    expect(hint({ project: 'P47', form: 'France' })).toBe('did you mean "from"?');
  });

  it('continues the path it is given', () => {
    expect(() => readQuery({ entity: 9 }, vocabulary, '$.queries[2]')).toThrow(
      expect.objectContaining({ path: '$.queries[2].entity' }),
    );
  });

  it('refuses what is too deep or too large, also through texts within', () => {
    const nest = (levels: number, inner: unknown) => {
      let value = inner;
      for (let i = 0; i < levels; i++) value = { not: value };
      return value;
    };
    expect(readQuery(nest(63, 'France'), vocabulary).op).toBe('not');
    expect(() => readQuery(nest(64, 'France'), vocabulary)).toThrow('at most 64 levels');
    expect(() => readQuery(nest(63, 'not(France)'), vocabulary)).toThrow('at most 64 levels');
    expect(() => readQuery(nest(100_000, 'France'), vocabulary)).toThrow('at most 64 levels');
    const many = `or(${new Array(600).fill('France').join()})`;
    expect(() => readQuery({ and: [many, many] }, vocabulary)).toThrow('at most 1024 nodes');
  });
});

describe('names of RDF in JSON', () => {
  const graph = createVocabulary({
    entities: [{ key: 'http://example.org/a', label: 'A' }],
    relations: [{ key: 'http://example.org/r', label: 'R' }],
    prefixes: new Map([['ex', 'http://example.org/']]),
  });

  it.each<unknown>([
    { project: 'ex:r^-1', from: { entity: '<http://example.org/a>' } },
    { project: '<http://example.org/r>^-1', from: { entity: 'ex:a' } },
    { project: 'ex:r^-1', from: '<http://example.org/a>' },
  ])('are read in %j', (value) => {
    expect(readQuery(value, graph)).toEqual(p(1, e(0)));
  });

  it('are refused with the prefixes that are known', () => {
    expect(() => readQuery({ entity: 'x:a' }, graph)).toThrow(
      expect.objectContaining({ path: '$.entity', hint: expect.stringContaining('Known are ex:') }),
    );
  });
});

describe('writeQuery', () => {
  it('names everything by key, and by id where a key could be misread', () => {
    const query = and(p(1, e(0)), not(or(p(3, e(1)), p(4, e(1)))));
    expect(writeQuery(query, vocabulary)).toEqual({
      and: [
        { project: 'P47^-1', from: { entity: 'Q142' } },
        {
          not: {
            or: [
              { project: 3, from: { entity: 'Q4916' } },
              { project: 'P38^-1', from: { entity: 'Q4916' } },
            ],
          },
        },
      ],
    });
  });

  it('refuses ids that the vocabulary does not have', () => {
    expect(() => writeQuery(e(2), vocabulary)).toThrow('got 2');
  });
});
