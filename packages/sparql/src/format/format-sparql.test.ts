import type { Vocabulary } from '@fuzzqe/core';
import { asEntityId, asRelationId, type NameEntry } from '@fuzzqe/core';
import {
  instantiate,
  plainTree,
  planPattern,
  type Query,
  structureNames,
  structures,
} from '@fuzzqe/core/query';
import { createVocabulary } from '@fuzzqe/names';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSparql } from '../index.ts';
import { entityIri, formatSparql } from './index.ts';

/** The tree that a text asks for. */
const readTree = (text: string, names: Vocabulary): Query | undefined =>
  plainTree(planPattern(parseSparql(text, names).pattern));

const entityCount = 8;
const forwardRelations = 4;
const named = (keys: readonly string[]): NameEntry[] => keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: named([
    'France',
    'Q142',
    'http://x/a',
    'West African franc',
    '/m/0f8',
    'http://x/é/b',
    'urn:fuzzqe:entity:a',
    'a',
  ]),
  relations: named(['borders', 'http://x/r', 'uses currency', 'has.']),
  prefixes: new Map([
    ['x', 'http://x/'],
    ['', 'http://x/a'],
    ['ex', 'no IRI'],
  ]),
});

describe('queries as SPARQL', () => {
  it.each(structureNames)('are read again as the same: %s', (name) => {
    const { template, anchors, relations } = structures[name];
    for (const start of [0, 3]) {
      const ids = Array.from({ length: anchors }, (_, i) => (start + i) % entityCount);
      const steps = Array.from({ length: relations }, (_, i) => (start + 3 * i) % (2 * forwardRelations));
      const query = instantiate(template, ids, steps);
      const text = formatSparql(query, vocabulary, { limit: 5, minDegree: 0.5, exclude: 'known' });
      expect(readTree(text, vocabulary)).toEqual(query);
      expect(parseSparql(text, vocabulary)).toMatchObject({
        limit: 5,
        minDegree: 0.5,
        exclude: 'known',
      });
    }
  });

  it('are written with the prefixes that they need, and without variables that they do not', () => {
    const query = instantiate(structures['inp'].template, [0, 2], [0, 3, 5]);
    expect(formatSparql(query, vocabulary)).toBe(`PREFIX entity: <urn:fuzzqe:entity:>
PREFIX relation: <urn:fuzzqe:relation:>
PREFIX x: <http://x/>
SELECT ?x ?degree WHERE {
  entity:France relation:borders ?v1 .
  FILTER NOT EXISTS { ?v1 x:r <http://x/a> . }
  ?x relation:uses%20currency ?v1 .
}
ORDER BY DESC(?degree)
`);
  });

  it('have IRIs for keys that only look like one', () => {
    const countries = createVocabulary({
      entities: named(['country:AND', 'urn:isbn:1', 'tag:x,2026:y', 'c:/x']),
      relations: named(['r']),
    });
    const iris = Array.from({ length: 4 }, (_, id) => entityIri(asEntityId(id), countries));
    expect(iris).toEqual([
      'urn:fuzzqe:entity:country:AND',
      'urn:isbn:1',
      'tag:x,2026:y',
      'urn:fuzzqe:entity:c:/x',
    ]);
    const read = iris.map((iri) => readTree(`SELECT ?x { VALUES ?x { <${iri}> } }`, countries));
    expect(read).toEqual([0, 1, 2, 3].map((entity) => ({ op: 'entity', entity })));
  });

  it('have the keys of a graph whose relations are IRIs as they are, of whatever scheme', () => {
    const graph = createVocabulary({
      entities: named(['fb:m.01', 'country:AND', '_:b0', 'http://x/a', '<http://x/a>']),
      relations: named(['fb:r', 'http://x/r']),
    });
    const iris = Array.from({ length: 5 }, (_, id) => entityIri(asEntityId(id), graph));
    expect(iris).toEqual([
      'fb:m.01',
      'country:AND',
      'urn:fuzzqe:entity:_:b0',
      'http://x/a',
      'urn:fuzzqe:entity:%3Chttp:%2F%2Fx%2Fa%3E'.replaceAll('%2F', '/'),
    ]);
    const read = iris.map((iri) => readTree(`SELECT ?x { VALUES ?x { <${iri}> } }`, graph));
    expect(read).toEqual([0, 1, 2, 3, 4].map((entity) => ({ op: 'entity', entity })));
    const query: Query = {
      op: 'project',
      relation: asRelationId(0),
      from: { op: 'entity', entity: asEntityId(0) },
    };
    const text = formatSparql(query, graph);
    expect(text).toContain('<fb:m.01> <fb:r> ?x');
    expect(readTree(text, graph)).toEqual(query);
  });

  it.each<[string, Query]>([
    ['alone', { op: 'not', operand: { op: 'entity', entity: asEntityId(0) } }],
    [
      'behind a projection',
      {
        op: 'project',
        relation: asRelationId(0),
        from: { op: 'not', operand: { op: 'entity', entity: asEntityId(0) } },
      },
    ],
  ])('are refused where they negate what nothing bounds: %s', (_, query) => {
    expect(() => formatSparql(query, vocabulary)).toThrow(/got one alone/);
  });

  // Names that could be taken for something else.
  const key = fc.oneof(
    fc.constantFrom(
      'a',
      'a:b',
      'a/b',
      '%41',
      '%',
      'http://x/a',
      'http://x/é',
      'http://x/a b',
      'urn:fuzzqe:entity:a',
      '_:b',
    ),
    fc.constantFrom(
      'a.',
      '-a',
      'a#b',
      'a?b',
      '<a>',
      'x:a',
      '\\',
      '"',
      '`',
      '😀',
      '\t',
      'A',
      'é',
      'e\u0301',
      'ª',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
  );
  const entries = (count: number): fc.Arbitrary<NameEntry[]> =>
    fc.uniqueArray(key, { minLength: count, maxLength: count }).map(named);
  const names = fc
    .record({ entities: entries(entityCount), relations: entries(forwardRelations) })
    .map((given) => createVocabulary({ ...given, prefixes: new Map([['x', 'http://x/']]) }));

  // What SPARQL can say: a negation stands in a conjunction that has something positive, or within a negation.
  const { bounded } = fc.letrec<{ positive: Query; bounded: Query; negation: Query }>((tie) => {
    const several = (one: fc.Arbitrary<Query>): fc.Arbitrary<Query[]> =>
      fc.array(one, { minLength: 2, maxLength: 3 });
    const depth = { maxDepth: 5, depthIdentifier: 'query' };
    return {
      positive: fc.oneof(
        depth,
        fc.nat(entityCount - 1).map((id): Query => ({ op: 'entity', entity: asEntityId(id) })),
        fc
          .tuple(fc.nat(forwardRelations * 2 - 1), tie('positive'))
          .map(([r, from]): Query => ({ op: 'project', relation: asRelationId(r), from })),
        several(tie('positive')).map((operands): Query => ({ op: 'or', operands })),
        fc
          .tuple(tie('positive'), tie('bounded'), fc.boolean())
          .filter(([, other]) => other.op !== 'or')
          .map(
            ([one, other, first]): Query => ({ op: 'and', operands: first ? [one, other] : [other, one] }),
          ),
      ),
      negation: tie('bounded').map((operand): Query => ({ op: 'not', operand })),
      bounded: fc.oneof(depth, tie('positive'), tie('negation')),
    };
  });

  it('of any tree that SPARQL can say are read again as the same', () => {
    fc.assert(
      fc.property(bounded, names, (tree, vocabulary) => {
        const first: Query = { op: 'entity', entity: asEntityId(0) };
        const query: Query = tree.op === 'not' ? { op: 'and', operands: [first, tree] } : tree;
        const text = formatSparql(query, vocabulary);
        expect(readTree(text, vocabulary)).toEqual(query);
      }),
      { numRuns: 400, seed: 2 },
    );
  });
});
