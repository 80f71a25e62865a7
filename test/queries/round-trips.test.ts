import { asEntityId, asRelationId, type NameEntry } from '@fuzzqe/core';
import {
  formatQuery,
  instantiate,
  parseQueryText,
  type Query,
  queryFromBetaE,
  queryToBetaE,
  readQuery,
  templateOf,
  writeQuery,
} from '@fuzzqe/core/query';
import { createVocabulary } from '@fuzzqe/names';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const entityCount = 8;
const forwardRelations = 4;

const { query } = fc.letrec<{ query: Query }>((tie) => {
  const leaf = fc.nat(entityCount - 1).map((id): Query => ({ op: 'entity', entity: asEntityId(id) }));
  const operands = fc.array(tie('query'), { minLength: 2, maxLength: 3 });
  return {
    query: fc.oneof(
      { maxDepth: 5, depthIdentifier: 'query' },
      leaf,
      fc
        .tuple(fc.nat(forwardRelations * 2 - 1), tie('query'))
        .map(([r, from]): Query => ({ op: 'project', relation: asRelationId(r), from })),
      operands.map((all): Query => ({ op: 'and', operands: all })),
      operands.map((all): Query => ({ op: 'or', operands: all })),
      tie('query').map((operand): Query => ({ op: 'not', operand })),
    ),
  };
});

// Names chosen to be mistaken for something: operators, suffixes, ids, escapes, halves of characters, look-alikes.
const nasty = fc.constantFrom(
  ...[
    'and',
    'not',
    'project',
    'and(',
    'x^-1',
    '^-1',
    '#1',
    '#',
    '"',
    '\\',
    '\\u0041',
    '\n',
    '\t',
    '\r\n',
    '',
  ],
  ...[' ', ' x', 'x ', 'X', 'x', 'a,b', '(', ')', '1', '-1', '\ud83d', '😀', 'é', 'e\u0301', '\u2028', '\0'],
  ...[
    'http://a/x',
    '<http://a/x>',
    'http://a/b/x y',
    'p:x',
    'p:',
    ':x',
    'a:b/x',
    '<x>',
    '<',
    'q:x',
    '_:x',
    'http://a/b/é',
  ],
  ...['Côte d’Ivoire', 'constructor', '__proto__', '𝒜', '\u200b', 'ß', 'SS', 'İ', 'null'],
);
const name = fc.oneof(nasty, nasty, fc.string({ unit: 'binary', maxLength: 6 }));
const entries = (count: number): fc.Arbitrary<NameEntry[]> =>
  fc
    .tuple(
      fc.uniqueArray(
        name.filter((key) => key !== ''),
        { minLength: count, maxLength: count },
      ),
      fc.array(name, { minLength: count, maxLength: count }),
    )
    .map(([keys, labels]) => keys.map((key, i) => ({ key, label: labels[i]! })));
const vocabulary = fc
  .tuple(
    entries(entityCount),
    entries(forwardRelations),
    fc.dictionary(
      fc.constantFrom('p', '', 'x', '😀'),
      fc.constantFrom('http://a/', 'http://a/b/', 'x', 'p:'),
    ),
  )
  .map(([entities, relations, prefixes]) =>
    createVocabulary({ entities, relations, prefixes: new Map(Object.entries(prefixes)) }),
  );

describe('a query comes back the same', () => {
  it('from the notation, whatever the names', () => {
    fc.assert(
      fc.property(query, vocabulary, (q, v) => {
        expect(parseQueryText(formatQuery(q, v), v)).toEqual(q);
      }),
      { numRuns: 500 },
    );
  });

  it('from JSON, whatever the names', () => {
    fc.assert(
      fc.property(query, vocabulary, (q, v) => {
        expect(readQuery(JSON.parse(JSON.stringify(writeQuery(q, v))), v)).toEqual(q);
      }),
      { numRuns: 500 },
    );
  });

  it('from nested tuples', () => {
    fc.assert(
      fc.property(query, (q) => {
        expect(queryFromBetaE(JSON.parse(JSON.stringify(queryToBetaE(q))))).toEqual(q);
      }),
      { numRuns: 500 },
    );
  });

  it('from its template and slots', () => {
    fc.assert(
      fc.property(query, (q) => {
        const { template, anchors, relations } = templateOf(q);
        expect(instantiate(template, anchors, relations)).toEqual(q);
      }),
    );
  });
});

describe('the readers', () => {
  it('throw nothing but their own error, whatever the text', () => {
    const v = createVocabulary({
      entities: [{ key: 'a', label: 'A' }],
      relations: [{ key: 'r', label: 'R' }],
    });
    const piece = fc.constantFrom(
      'and',
      'or',
      'not',
      'project',
      '(',
      ')',
      ',',
      'a',
      'r',
      '^-1',
      '"',
      '#0',
      '<',
      '>',
      ':',
      '\\',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((all) => all.join('')),
          fc.string(),
        ),
        (text) => {
          try {
            parseQueryText(text, v);
          } catch (error) {
            expect(error).toMatchObject({
              name: 'FuzzError',
              path: expect.stringMatching(/^line \d+, column \d+$/),
            });
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('throw nothing but their own error, whatever the JSON', () => {
    const v = createVocabulary({
      entities: [{ key: 'a', label: 'A' }],
      relations: [{ key: 'r', label: 'R' }],
    });
    const key = fc.constantFrom('entity', 'project', 'from', 'and', 'or', 'not', 'x');
    fc.assert(
      fc.property(fc.oneof(fc.anything({ key }), fc.jsonValue()), (value) => {
        for (const run of [() => readQuery(value, v), () => queryFromBetaE(value)]) {
          try {
            run();
          } catch (error) {
            expect(error).toMatchObject({ name: 'FuzzError', path: expect.stringContaining('$') });
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
