import { formatPattern, formatQuery, type Pattern, plainTree, planPattern } from '@fuzzqe/core/query';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { parseSparql } from './index.ts';

const named = (keys: readonly string[]): { key: string; label: string }[] =>
  keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: [
    ...named([
      'a',
      'b',
      'c',
      'West African franc',
      '/m/0f8',
      '100%',
      'http://x/a',
      'http://x/k:l/m',
      'Füssen',
    ]),
    { key: 'Q142', label: 'France' },
  ],
  relations: named(['r', 's', 't', 'http://x/r']),
  prefixes: new Map([['x', 'http://x/']]),
});

/** The tree that a pattern is, in the notation. */
function shown(pattern: Pattern): string {
  return formatQuery(plainTree(planPattern(pattern))!, vocabulary);
}

/** The tree of a query of `?x` in the notation. */
function treeOf(patterns: string): string {
  return shown(parseSparql(`SELECT ?x { ${patterns} }`, vocabulary).pattern);
}

describe('patterns of SPARQL', () => {
  const e = 'entity:';
  it.each([
    ['a link forwards', `${e}a relation:r ?x`, 'project(r, a)'],
    ['a link backwards', `?x relation:r ${e}a`, 'project(r^-1, a)'],
    ['an inverse path', `${e}a ^relation:r ?x`, 'project(r^-1, a)'],
    ['an inverse path backwards', `?x ^relation:r ${e}a`, 'project(r, a)'],
    ['a subject repeated', `${e}a relation:r ?x ; relation:s ?x`, 'and(project(r, a), project(s, a))'],
    [
      'a name with two colons repeated',
      'x:k:l\\/m relation:r ?x ; relation:s ?x',
      'and(project(r, x:k:l/m), project(s, x:k:l/m))',
    ],
    [
      'an object beside',
      `?x relation:r ${e}a , ${e}b ; relation:s ${e}c`,
      'and(project(r^-1, a), project(r^-1, b), project(s^-1, c))',
    ],
    ['a path', `${e}a relation:r/relation:s ?x`, 'project(s, project(r, a))'],
    ['a path backwards', `?x relation:r/relation:s ${e}a`, 'project(r^-1, project(s^-1, a))'],
    ['the inverse of a path', `?x ^(relation:r/^relation:s) ${e}a`, 'project(s^-1, project(r, a))'],
    ['either of two', `${e}a relation:r|relation:s ?x`, 'or(project(r, a), project(s, a))'],
    [
      'either of three, with brackets',
      `?x relation:r|(^relation:s|relation:t) ${e}a`,
      'or(project(r^-1, a), project(s, a), project(t^-1, a))',
    ],
    [
      'either in a path',
      `${e}a relation:r/(relation:s|^relation:t/relation:r)/relation:t ?x`,
      'project(t, or(project(s, project(r, a)), project(r, project(t^-1, project(r, a)))))',
    ],
    [
      'the inverse of either in a path',
      `?x relation:r/(relation:s|relation:t) ${e}a`,
      'project(r^-1, or(project(s^-1, a), project(t^-1, a)))',
    ],
    ['a variable in between', `?y relation:s ?x . ${e}a relation:r ?y`, 'project(s, project(r, a))'],
    ['brackets', `[ ^relation:r ${e}a ; relation:s ?x ]`, 'project(s, project(r, a))'],
    [
      'a blank node on both sides of filters',
      `${e}a relation:r _:y FILTER(?x != ${e}b) FILTER NOT EXISTS { ?x relation:t ${e}c } _:y relation:s ?x`,
      'and(not(b), not(project(t^-1, c)), project(s, project(r, a)))',
    ],
    [
      'blank nodes of two patterns, each with its label',
      `{ ${e}a relation:r _:y . _:y relation:s ?x } UNION { ${e}b relation:r _:z . _:z relation:s ?x }`,
      'or(project(s, project(r, a)), project(s, project(r, b)))',
    ],
    ['a blank node', `${e}a relation:r _:y . _:y relation:s ?x`, 'project(s, project(r, a))'],
    [
      'several objects',
      `?x relation:r ${e}a, ${e}b ; relation:s ${e}c`,
      'and(project(r^-1, a), project(r^-1, b), project(s^-1, c))',
    ],
    [
      'UNION',
      `{ ${e}a relation:r ?x } UNION { ${e}b relation:s ?x } UNION { VALUES ?x { ${e}c } }`,
      'or(project(r, a), project(s, b), c)',
    ],
    [
      'UNION in between',
      `{ ${e}a relation:r ?y } UNION { ${e}b relation:s ?y } ?y relation:t ?x`,
      'project(t, or(project(r, a), project(s, b)))',
    ],
    [
      'NOT EXISTS first',
      `FILTER NOT EXISTS { ${e}a relation:r ?x } ${e}b relation:s ?x`,
      'and(not(project(r, a)), project(s, b))',
    ],
    [
      'NOT EXISTS in between',
      `${e}a relation:r ?y FILTER NOT EXISTS { ?y relation:s ${e}b } ?y relation:t ?x`,
      'project(t, and(project(r, a), not(project(s^-1, b))))',
    ],
    ['MINUS', `${e}a relation:r ?x MINUS { ${e}b relation:s ?x }`, 'and(project(r, a), not(project(s, b)))'],
    [
      'EXISTS and its opposite',
      `${e}a relation:r ?x FILTER(EXISTS { ${e}b relation:s ?x } && !EXISTS { ${e}c relation:t ?x })`,
      'and(project(r, a), project(s, b), not(project(t, c)))',
    ],
    [
      'a double negation',
      `${e}a relation:r ?x FILTER NOT EXISTS { FILTER NOT EXISTS { ${e}b relation:s ?x } }`,
      'and(project(r, a), not(not(project(s, b))))',
    ],
    ['VALUES of an anchor', `VALUES ?y { ${e}a ${e}b } ?y relation:r ?x`, 'project(r, or(a, b))'],
    [
      'VALUES of the answer',
      `VALUES (?x) { (${e}a) (${e}b) } ${e}c relation:r ?x`,
      'and(or(a, b), project(r, c))',
    ],
    [
      'comparisons',
      `${e}a relation:r ?x FILTER(?x != ${e}a && ?x NOT IN (${e}b, ${e}c)) FILTER(${e}c = ?x)`,
      'and(project(r, a), not(a), not(or(b, c)), c)',
    ],
    [
      'braces',
      `{ ${e}a relation:r ?x . ${e}b relation:s ?x } ${e}c relation:t ?x`,
      'and(and(project(r, a), project(s, b)), project(t, c))',
    ],
    [
      'the same name inside two filters',
      `${e}a relation:r ?x FILTER NOT EXISTS { ${e}b relation:s/relation:s ?y . ?y relation:r ?x } FILTER NOT EXISTS { ${e}c relation:t ?y . ?y relation:r ?x }`,
      'and(project(r, a), not(project(r, project(s, project(s, b)))), not(project(r, project(t, c))))',
    ],
  ])('reads %s', (_, patterns, tree) => {
    expect(treeOf(patterns)).toBe(tree);
  });

  it.each([
    ['a circle', '?x', '?x relation:r ?y . ?y relation:s ?x', '?x : r(?x, ?y), s(?y, ?x)'],
    ['a link to itself', '?x', '?x relation:r ?x', '?x : r(?x, ?x)'],
    ['two answers', '?y ?x', `${e}a relation:r ?x . ?x relation:s ?y`, '?y, ?x : r(a, ?x), s(?x, ?y)'],
    ['all variables', '*', '?x relation:r _:b . _:b relation:s ?y', '?x, ?y : r(?x, ?_e_b), s(?_e_b, ?y)'],
    [
      'a branch without an entity',
      '?x',
      `${e}a relation:r ?x . ?x relation:s ?y`,
      '?x : r(a, ?x), s(?x, ?y)',
    ],
    ['a pattern of entities', '?x', `${e}a relation:r ?x . ${e}b relation:s ${e}c`, '?x : r(a, ?x), s(b, c)'],
    [
      'a negation of two variables',
      '?x',
      `${e}a relation:r ?y . ?y relation:s ?x FILTER NOT EXISTS { ?x relation:t ?y }`,
      '?x : r(a, ?y), s(?y, ?x), not t(?x, ?y)',
    ],
    [
      'either from a variable in between',
      '?x',
      `?y relation:s|relation:t ?x . ${e}a relation:r ?y`,
      '?x : or(s(?y, ?x), t(?y, ?x)), r(a, ?y)',
    ],
    [
      'a path with a choice between two variables',
      '?x ?y',
      '?x relation:r/(relation:s|^relation:t) ?y',
      '?x, ?y : r(?x, ?between), or(s(?between, ?y), t^-1(?between, ?y))',
    ],
    [
      'a filter of either',
      '?x',
      `?x relation:r ?y FILTER(?x = ${e}a || !(?y IN (${e}b, ${e}c)))`,
      '?x : r(?x, ?y), or(?x in a, not ?y in or(b, c))',
    ],
    ['two that differ', '?x ?y', '?x relation:r ?y FILTER(?x != ?y)', '?x, ?y : r(?x, ?y), ?x != ?y'],
    [
      'VALUES of two',
      '?x ?y',
      `?x relation:r ?y VALUES (?x ?y) { (${e}a ${e}b) (${e}c ${e}a) }`,
      '?x, ?y : r(?x, ?y), or((?x in a, ?y in b), (?x in c, ?y in a))',
    ],
    [
      'variables of branches, each as its own',
      '?x',
      `{ ?x relation:r ?y } UNION { ?x relation:s ?y . ?y relation:t ${e}a }`,
      '?x : or(r(?x, ?y), (s(?x, ?between), t(?between, a)))',
    ],
    [
      'a variable of branches that something else mentions as one',
      '?x',
      `{ ?x relation:r ?y } UNION { ?x relation:s ?y } ?y relation:t ${e}a`,
      '?x : or(r(?x, ?y), s(?x, ?y)), t(?y, a)',
    ],
    ['a repeated relation', '?x', `?x relation:r+ ${e}a`, '?x : r+(?x, a)'],
    [
      'repeated relations in a path, backwards',
      '?x',
      `?x relation:r/(^relation:s)*/relation:t? ${e}a`,
      '?x : t^-1?(a, ?between), s*(?between, ?between_2), r^-1(?between_2, ?x)',
    ],
    [
      'a choice of repeated relations',
      '?x',
      `${e}a relation:r|relation:s* ?x`,
      '?x : or(r(a, ?x), s*(a, ?x))',
    ],
    [
      'a variable of MINUS that has no value before as another',
      '?x ?y',
      `?x relation:r ${e}a MINUS { ?x relation:s ?y } ?x relation:t ?y`,
      '?x, ?y : r(?x, a), not s(?x, ?y_2), t(?x, ?y)',
    ],
  ])('reads %s as a pattern', (_, select, patterns, pattern) => {
    const { pattern: read } = parseSparql(`SELECT ${select} { ${patterns} }`, vocabulary);
    expect(formatPattern(read, vocabulary)).toBe(pattern);
  });

  it('reads labels by the names of their variables', () => {
    const text = `SELECT ?y ?xLabel ?degree ?x { ?x relation:r ?y } ORDER BY ?xLabel`;
    const { columns, order, pattern } = parseSparql(text, vocabulary);
    expect(columns).toEqual([
      { name: 'y', is: 'answer', at: 0 },
      { name: 'xLabel', is: 'label', at: 1 },
      { name: 'degree', is: 'degree', at: 0 },
      { name: 'x', is: 'answer', at: 1 },
    ]);
    expect(order).toEqual([{ by: 'label', at: 1, descending: false }]);
    expect(formatPattern(pattern, vocabulary)).toBe('?y, ?x : r(?x, ?y)');
    // A variable of the patterns is no label.
    const other = parseSparql('SELECT ?x ?xLabel { ?x relation:r ?xLabel }', vocabulary);
    expect(other.columns.map(({ is }) => is)).toEqual(['answer', 'answer']);
  });

  it('asks whether there is a solution, and of what is not recorded about every solution', () => {
    const asked = (filter: string): string =>
      formatPattern(parseSparql(`ASK { ?x relation:r ?y ${filter} }`, vocabulary).pattern, vocabulary);
    expect(asked('')).toBe('r(?x, ?y)');
    expect(asked('FILTER(!?known)')).toBe('?x, ?y : r(?x, ?y)');
  });

  it('reads a prefix, a base, VALUES at the end and the modifiers', () => {
    const text = `BASE <http://x/> PREFIX : <k:l/../> SELECT DISTINCT ?degree ?x ?known ?label
      WHERE { <a> <r> ?x FILTER(0.25 < ?degree && !?known) } ORDER BY DESC(?degree) ?x LIMIT 5 OFFSET 2 VALUES ?x { x:a }`;
    const { pattern, ...others } = parseSparql(text, vocabulary);
    expect(shown(pattern)).toBe('and(project(x:r, x:a), x:a)');
    expect(others).toEqual({
      form: 'select',
      columns: ['degree', 'x', 'known', 'label'].map((name) => ({
        ...{ name, is: name === 'x' ? 'answer' : name, at: 0 },
      })),
      order: [
        { by: 'degree', at: 0, descending: true },
        { by: 'answer', at: 0, descending: false },
      ],
      limit: 5,
      offset: 2,
      minDegree: 0.25,
      ranked: true,
      aboveMinDegree: true,
      exclude: 'known',
    });
    expect(parseSparql('SELECT * { x:a x:r ?y }', vocabulary)).toMatchObject({
      columns: [{ name: 'y' }, { name: 'degree' }],
    });
    for (const [text, ranked] of [
      ['SELECT ?y { x:a x:r ?y }', false],
      ['SELECT ?y ?known { x:a x:r ?y } ORDER BY ?y', false],
      ['ASK { x:a x:r ?y }', false],
      ['SELECT ?y { x:a x:r ?y } LIMIT 3', true],
      ['SELECT ?y { x:a x:r ?y } ORDER BY ?degree', true],
      ['SELECT ?y ?degree { x:a x:r ?y }', true],
    ] as const)
      expect(parseSparql(text, vocabulary).ranked, text).toBe(ranked);
    const ask = parseSparql('ASK { x:a x:r entity:a FILTER(?degree >= 1) }', vocabulary);
    expect(formatPattern(ask.pattern, vocabulary)).toBe('x:r(x:a, a)');
  });

  it.each([
    ['a key with a space', 'entity:West%20African%20franc', '"West African franc"'],
    ['a key with slashes', '<urn:fuzzqe:entity:/m/0f8>', '/m/0f8'],
    ['escapes of a local name', 'entity:\\/m\\/0f8', '/m/0f8'],
    ['a percent sign', 'entity:100%25', '"100%"'],
    ['letters beyond ASCII', 'entity:F\\u00fcssen', 'Füssen'],
    ['a label', 'entity:France', 'France'],
    ['its key', 'entity:Q142', 'France'],
    ['a key that is an IRI', '<http://x/a>', 'x:a'],
    ['a second colon in a local name', 'x:k:l\\/m', 'x:k:l/m'],
  ])('finds entities by %s', (_, iri, name) => {
    expect(treeOf(`VALUES ?x { ${iri} }`)).toBe(name);
  });
});
