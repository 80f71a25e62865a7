import { formatQuery } from '@fuzzqe/core/query';
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

/** The tree of a query of `?x` in the notation. */
function treeOf(patterns: string): string {
  return formatQuery(parseSparql(`SELECT ?x { ${patterns} }`, vocabulary).query, vocabulary);
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
    [
      'either from a variable in between',
      `?y relation:s|relation:t ?x . ${e}a relation:r ?y`,
      'or(project(s, project(r, a)), project(t, project(r, a)))',
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

  it('reads a prefix, a base, VALUES at the end and the modifiers', () => {
    const text = `BASE <http://x/> PREFIX : <k:l/../> SELECT DISTINCT ?degree ?x ?known ?label
      WHERE { <a> <r> ?x FILTER(0.25 < ?degree && !?known) } ORDER BY DESC(?degree) ?x LIMIT 5 OFFSET 2 VALUES ?x { x:a }`;
    const { query, ...others } = parseSparql(text, vocabulary);
    expect(formatQuery(query, vocabulary)).toBe('and(project(x:r, x:a), x:a)');
    expect(others).toEqual({
      form: 'select',
      variable: 'x',
      columns: ['degree', 'x', 'known', 'label'].map((name) => ({
        name,
        is: name === 'x' ? 'answer' : name,
      })),
      order: [
        { by: 'degree', descending: true },
        { by: 'answer', descending: false },
      ],
      limit: 5,
      offset: 2,
      minDegree: 0.25,
      ranked: true,
      aboveMinDegree: true,
      exclude: 'known',
    });
    expect(parseSparql('SELECT * { x:a x:r ?y }', vocabulary)).toMatchObject({
      variable: 'y',
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
    expect([formatQuery(ask.query, vocabulary), ask.variable]).toEqual([
      'and(project(x:r, x:a), a)',
      undefined,
    ]);
    expect(parseSparql('ASK { x:a x:r ?y FILTER(?degree >= 0.5) }', vocabulary).variable).toBe('y');
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
