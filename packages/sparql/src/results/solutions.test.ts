import { asEntityId, type Steps } from '@fuzzqe/core';
import type { PatternRow } from '@fuzzqe/engine';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { parseSparql } from '../index.ts';
import type { SparqlQuery } from '../read-sparql.ts';
import { keepAnswers, neededAnswers, solutionsOf } from './solutions.ts';
import { resultFormats } from './write-results.ts';

const labels = ['a', 'b\rb', 'c'];
const vocabulary = createVocabulary({
  entities: labels.map((label, i) => ({ key: `e${i}`, label })),
  relations: [{ key: 'r', label: 'r' }],
});
const read = (rest: string, filters = ''): SparqlQuery =>
  parseSparql(`SELECT ?x ?label { entity:e0 relation:r ?x ${filters} } ${rest}`, vocabulary);
const answers = [1, 0.5, 0.25].map(
  (degree, id): PatternRow => ({
    entities: [{ id: asEntityId(id), key: `e${id}`, label: labels[id]! }],
    degree,
    state: 'predicted',
    others: {},
  }),
);

function endOf<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

describe('the answers that a query needs', () => {
  it.each([
    ['LIMIT 5', 5],
    ['LIMIT 5 OFFSET 2', 7],
    ['ORDER BY DESC(?degree) LIMIT 5', 5],
    // The best ones are the last of these.
    ['ORDER BY ?degree LIMIT 5', 100],
    ['ORDER BY ?label LIMIT 5', 100],
    ['ORDER BY DESC(?degree) ?x LIMIT 5', 100],
    ['', 100],
  ])('with %j are %d of at most 100', (rest, needed) => {
    expect(neededAnswers(read(rest), 100)).toBe(needed);
  });

  it('are one for ASK', () => {
    const ask = parseSparql('ASK { entity:e0 relation:r ?x }', vocabulary);
    expect([neededAnswers(ask, 100), neededAnswers(ask, 0)]).toEqual([1, 0]);
  });
});

it.each([
  ['FILTER(?degree >= 0.5)', [0, 1]],
  ['FILTER(?degree > 0.5)', [0]],
  ['FILTER(?degree >= 0.25) FILTER(?degree >= 0.5)', [0, 1]],
  ['FILTER(?degree >= 0.5) FILTER(?degree >= 0.25)', [0, 1]],
  ['FILTER(?degree >= 0.5) FILTER(?degree > 0.5)', [0]],
  ['FILTER(?degree > 0.5) FILTER(?degree >= 0.5)', [0]],
  ['FILTER(?degree > 0.25) FILTER(?degree >= 0.5)', [0, 1]],
])('keeps of degrees 1, 0.5 and 0.25 with %s those of %j', (filters, ids) => {
  const query = read('', filters);
  expect(keepAnswers(query, answers).map(({ entities }) => entities[0]?.id)).toEqual(ids);
});

it('writes a label with a carriage return as one field of CSV', () => {
  const csv = resultFormats.find(({ mediaType }) => mediaType === 'text/csv')!;
  const text = endOf(csv.write(endOf(solutionsOf(read('OFFSET 1'), answers, vocabulary))));
  expect(text).toBe('x,label\r\nurn:fuzzqe:entity:e1,"b\rb"\r\nurn:fuzzqe:entity:e2,c\r\n');
});
