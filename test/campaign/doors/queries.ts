import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';

import { join } from 'node:path';
import { createKnowledgeGraph } from '@fuzzqe/core';
import {
  formatQuery,
  parseQueryText,
  type Query,
  queryFromBetaE,
  queryToBetaE,
  readQuery,
} from '@fuzzqe/core/query';
import { formatStructure, parseStructure, readQueries } from '@fuzzqe/data';
import { createVocabulary } from '@fuzzqe/names';
import fc, { type Arbitrary } from 'fast-check';
import { atOnce, type Door } from '../door.ts';
import { jsonSigns, mutated, utf8 } from '../mutations.ts';

const vocabulary = createVocabulary({
  entities: [
    'France',
    'Germany',
    'West African CFA franc',
    'http://x/a',
    '__proto__',
    'a"b',
    '#1',
    'and',
  ].map((key) => ({ key, label: key })),
  relations: ['borders', 'uses currency', 'constructor', 'x^-1'].map((key) => ({ key, label: key })),
  prefixes: new Map([['x', 'http://x/']]),
});
const smaller = createKnowledgeGraph({
  entityCount: vocabulary.entityCount,
  relationCount: vocabulary.relationCount,
  triples: Int32Array.of(0, 0, 1, 1, 2, 2, 2, 4, 3, 3, 0, 4),
});

const tree: Arbitrary<string> = fc.letrec<{ query: string }>((tie) => {
  const entity = fc.constantFrom(
    'France',
    'Germany',
    '"West African CFA franc"',
    '#1',
    'x:a',
    '<http://x/a>',
    'Nowhere',
  );
  const relation = fc.constantFrom('borders', '"uses currency"^-1', '#3', 'constructor', 'x', '"x^-1"');
  return {
    query: fc.oneof(
      { maxDepth: 6 },
      entity,
      fc.tuple(relation, tie('query')).map(([r, q]) => `project(${r}, ${q})`),
      fc
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('query'), { minLength: 1, maxLength: 4 }))
        .map(([op, of]) => `${op}(${of.join(', ')})`),
      tie('query').map((q) => `not(${q})`),
    ),
  };
}).query;
const words = [
  '(',
  ')',
  ',',
  '"',
  '\\',
  '^-1',
  '#',
  '<',
  '>',
  'project(',
  'and(',
  'not(',
  '\\u0000',
  '\n',
  ' ',
  '😀',
  '\ud800',
].concat(['__proto__', 'constructor', 'x:', ':', '?a1', '=', '\u202e', '#99999999999999999999']);

const json: Arbitrary<unknown> = fc.letrec<{ query: unknown }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 6 },
    fc.record({
      entity: fc.oneof(
        fc.constantFrom('France', 0, 99, -1, Number.POSITIVE_INFINITY, null, '__proto__'),
        fc.jsonValue(),
      ),
    }),
    fc.constantFrom({ entity: 'France' }, { entity: 0 }, { project: 'borders', from: { entity: 'Germany' } }),
    fc.record({ project: fc.constantFrom('borders', 0, 'x^-1'), from: tie('query') }),
    fc.record({ and: fc.array(tie('query'), { maxLength: 4 }) }),
    fc.record({ or: fc.array(tie('query'), { maxLength: 4 }) }),
    fc.record({ not: tie('query') }),
    tree,
    fc.jsonValue(),
  ),
})).query;
const jsonWords = [...jsonSigns, '{"and":[', '{"not":', '[[', '"__proto__":', '"constructor"', '\\'];

const typed = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.constantFrom<readonly [type: string, query: string]>(
      ['1p', '[0,[0]]'],
      ['2p', '[0,[0,2]]'],
      ['2i', '[[0,[0]],[1,[2]]]'],
      ['2u', '[[0,[0]],[1,[2]],[-1]]'],
      ['2u-DNF', '[[0,[0]],[1,[2]],[-1]]'],
      ['2in', '[[0,[0]],[1,[2,-2]]]'],
      ['project(?r1, project(?r2, project(?r3, project(?r4, ?a1))))', '[0,[0,1,2,3]]'],
    ),
  },
  fc.tuple(fc.constantFrom('constructor', '__proto__', '3p'), fc.constantFrom('[0,[0]]', '[]', '[[[0]]]')),
);
const answers = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  fc.constantFrom(
    ',"easy":[1]',
    ',"hard":[7]',
    ',"easy":[1,2],"hard":[3]',
    ',"easy":[1],"hard":[1]',
    ',"hard":[99]',
  ),
);
const line = fc
  .tuple(typed, answers)
  .map(([[type, query], more]) => `{"type":${JSON.stringify(type)},"query":${query}${more}}\n`);

const structure = fc.constantFrom(
  '2i',
  'and(project(?r1, ?a1), not(project(?r2, ?a2)))',
  'chain = project(?b, project(?a, ?start))',
  'or(project(?r1, ?a1), project(?r2, ?a2), project(?r3, ?a3))',
);

const text = (input: Uint8Array): string => new TextDecoder().decode(input);

/** A query that was read is written and read again as the same, by text and by tuples. */
function checkQueryAgain(query: Query): void {
  assert.deepEqual(parseQueryText(formatQuery(query, vocabulary), vocabulary), query);
  assert.deepEqual(queryToBetaE(queryFromBetaE(queryToBetaE(query))), queryToBetaE(query));
}

/** Queries in all their forms. */
export const queryDoors: readonly Door[] = [
  {
    name: 'query-text',
    description: 'the notation of queries',
    ending: '.txt',
    volume: 'reader',
    inputs: mutated(utf8(tree), words),
    refusals: ['query', 'vocabulary', 'range'],
    open: async () => ({
      attempt: async (input) => checkQueryAgain(parseQueryText(text(input), vocabulary)),
    }),
  },
  {
    name: 'query-json',
    description: 'queries as JSON',
    ending: '.json',
    volume: 'reader',
    inputs: mutated(utf8(json.map((value) => JSON.stringify(value))), jsonWords),
    refusals: ['query', 'vocabulary', 'range'],
    open: async () => ({
      async attempt(input) {
        let value: unknown;
        try {
          value = JSON.parse(text(input));
        } catch {
          // What is no JSON never comes to this door.
          value = text(input);
        }
        checkQueryAgain(readQuery(value, vocabulary));
      },
    }),
  },
  {
    name: 'query-lines',
    description: 'files of queries with their answers',
    ending: '.jsonl',
    volume: 'reader',
    inputs: mutated(utf8(fc.array(line, { minLength: 1, maxLength: 6 }).map((all) => all.join(''))), [
      ...jsonWords,
      '"easy":',
      '"type":"3p"',
      '[-2]',
      '[-1]',
    ]),
    refusals: ['data'],
    parallel: atOnce,
    open: async (folder) => {
      return {
        async attempt(input, place) {
          const path = join(folder, `${place}.jsonl`);
          writeFileSync(path, input);
          await readQueries(path, { bounds: vocabulary, smaller });
        },
      };
    },
  },
  {
    name: 'structures',
    description: 'texts of query structures',
    ending: '.txt',
    volume: 'reader',
    inputs: mutated(utf8(structure), [...words, 'project(?r9, ', '?']),
    refusals: ['query'],
    open: async () => ({
      async attempt(input) {
        const read = parseStructure(text(input));
        assert.deepEqual(parseStructure(formatStructure(read)), read);
      },
    }),
  },
];
