import { describe, expect, it } from 'vitest';
import { asEntityId, asRelationId } from '../kg/ids.ts';
import type { Vocabulary } from '../kg/vocabulary.ts';
import { fuzzErrorOf } from '../testing/fuzz-error-of.ts';
import { checkQuery, queryWarnings } from './check-query.ts';
import { formatQuery, parseQueryText } from './notation.ts';
import { and, entity, not, or, project, type Query } from './query.ts';
import { readQuery, writeQuery } from './query-json.ts';
import { structureNames, structures } from './structures.ts';
import { instantiate } from './template.ts';

const e = (id: number) => entity(asEntityId(id));
const p = (id: number, from: Query) => project(asRelationId(id), from);
const bounds = { entityCount: 10, relationCount: 6 };

describe('checkQuery', () => {
  it.each(structureNames)('accepts %s', (name) => {
    expect(() =>
      checkQuery(instantiate(structures[name].template, [9, 8, 7], [5, 4, 3]), bounds),
    ).not.toThrow();
  });

  it.each<[string, Query, string, string, string]>([
    ['an entity too high', e(10), 'range', '$.entity', 'expected an integer in [0, 10), got 10'],
    ['a negative relation', p(-1, e(0)), 'range', '$.project', 'expected an integer in [0, 6), got -1'],
    ['a fraction deep within', and(e(0), not(p(1, e(0.5)))), 'range', '$.and[1].not.from.entity', 'got 0.5'],
    ['a conjunction of one', or(e(0), { op: 'and', operands: [e(1)] }), 'query', '$.or[1].and', 'got 1'],
    ['a disjunction of none', { op: 'or', operands: [] }, 'query', '$.or', 'got 0'],
  ])('refuses %s', (_, query, code, path, message) => {
    expect(() => checkQuery(query, bounds)).toThrow(
      expect.objectContaining({ code, path, message: expect.stringContaining(message) }),
    );
  });

  it.each([
    ['text', 'project(borders, France)', '$', 'got "project(borders, France)"'],
    ['the JSON form', { project: 'borders', from: { entity: 'France' } }, '$', 'got {"project":"borders",'],
    ['nothing', null, '$', 'got null'],
    ['no tree within', { op: 'project', relation: 0, from: 0 }, '$.from', 'got 0'],
    ['no operands', { op: 'or' }, '$.or', 'expected an array of queries, got nothing'],
    ['a hole', { op: 'or', operands: new Array(2) }, '$.or[0]', 'got nothing'],
    ['another operator', { op: 'xor', operands: [] }, '$', 'got {"op":"xor"'],
  ])('refuses %s in the place of a query, and says what reads it', (_, query, path, got) => {
    // Callers without types can ask so.
    const error = fuzzErrorOf(() => checkQuery(query as unknown as Query, bounds));
    expect([error.code, error.path]).toEqual(['query', path]);
    expect(error.message).toContain(got);
    expect(error.hint).toMatch(/parseQueryText.*readQuery/);
  });

  it.each([
    ['text', '1', 'got "1"'],
    ['a list', [], 'got []'],
    ['a symbol', Symbol('one'), 'got a symbol'],
    ['a bigint', 1n, 'got 1'],
  ])('refuses %s in the place of an id', (_, id, got) => {
    const error = fuzzErrorOf(() => checkQuery(e(id as unknown as number), bounds));
    expect([error.code, error.message.slice(-got.length)]).toEqual(['range', got]);
  });

  it.each([
    ['nothing', undefined, 'got nothing'],
    ['an engine', { vocabulary: bounds, facts: bounds }, 'got another object'],
  ])('refuses %s in the place of a vocabulary, as all that take one do', (_, given, got) => {
    const none = given as unknown as Vocabulary; // what callers without types may give
    const calls = [
      () => checkQuery(e(0), none),
      () => parseQueryText('project(borders, France)', none),
      () => readQuery({ project: 'borders', from: { entity: 'France' } }, none),
      () => readQuery('France', none),
      () => formatQuery(e(0), none),
      () => writeQuery(e(0), none),
    ];
    for (const call of calls) {
      const error = fuzzErrorOf(call);
      expect([error.code, error.message]).toEqual(['usage', `expected a vocabulary or a graph, ${got}`]);
      expect(error.hint).toMatch(/engine\.vocabulary.*engine\.facts/);
    }
  });

  it('says where a query stands in what is larger', () => {
    expect(fuzzErrorOf(() => checkQuery(not(e(10)), bounds, '$.filter.query')).path).toBe(
      '$.filter.query.not.entity',
    );
  });

  it('refuses what is too deep', () => {
    let query: Query = e(0);
    for (let i = 0; i < 64; i++) query = not(query);
    expect(() => checkQuery(query, bounds)).toThrow('at most 64 levels');
  });
});

describe('queryWarnings', () => {
  it.each(structureNames)('finds nothing amiss with %s', (name) => {
    expect(queryWarnings(instantiate(structures[name].template, [0, 0, 0], [0, 0, 0]))).toEqual([]);
  });

  it.each<[string, Query, readonly string[]]>([
    ['a negation alone', not(e(0)), ['$']],
    ['a negation that is projected', p(0, not(e(0))), ['$.from']],
    ['a disjunction with a negation', or(e(0), not(e(1))), ['$.or[1]']],
    ['a conjunction of negations only', and(not(e(0)), not(e(1))), ['$.and[0]', '$.and[1]']],
    ['a double negation', and(e(0), not(not(e(1)))), ['$.and[1].not']],
    ['a bounded negation', and(not(e(0)), or(e(1), e(2))), []],
  ])('judges %s', (_, query, paths) => {
    const warnings = queryWarnings(query);
    expect(warnings.map((warning) => warning.split(': ').slice(0, 2))).toEqual(
      paths.map((path) => ['open-negation', path]),
    );
  });
});
