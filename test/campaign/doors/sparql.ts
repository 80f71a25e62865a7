import assert from 'node:assert/strict';
import { plainTree, planPattern, type Query } from '@fuzzqe/core/query';
import { createVocabulary } from '@fuzzqe/names';
import { formatSparql, parseSparql, textLimits } from '@fuzzqe/sparql';
import fc, { type Arbitrary } from 'fast-check';
import type { Door } from '../door.ts';
import { mutated, utf8 } from '../mutations.ts';

const named = (keys: readonly string[]): { key: string; label: string }[] =>
  keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: named([
    'a',
    'West African franc',
    'http://x/a',
    '/m/0f8',
    '__proto__',
    'é',
    'urn:fuzzqe:entity:a',
    '%',
  ]),
  relations: named(['r', 'http://x/r', 'constructor', 'uses currency']),
  prefixes: new Map([['x', 'http://x/']]),
});

const known = fc.constantFrom(
  'entity:a',
  'x:a',
  '<http://x/a>',
  'entity:West%20African%20franc',
  'entity:\\/m\\/0f8',
);
const entity = fc.oneof(
  { weight: 4, arbitrary: known },
  fc.constantFrom(
    '<urn:fuzzqe:entity:%C3%A9>',
    '<urn:fuzzqe:entity:__proto__>',
    'entity:nowhere',
    '"a"',
    '<a>',
  ),
);
const path: Arbitrary<string> = fc
  .array(
    fc.constantFrom('relation:r', '^relation:r', 'x:r', '^(x:r/relation:r)', 'relation:constructor', 'a'),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((steps) => steps.join('/'));

/** Patterns of ?x; most make a tree. */
const { patterns } = fc.letrec<{ patterns: string; pattern: string }>((tie) => {
  const other = fc.constantFrom('?x', '?x', '?x', '?x', '?x', '?x', '?y', '_:b', '?degree');
  const link = fc.tuple(entity, path).map((parts) => `${parts.join(' ')} ?x .`);
  return {
    pattern: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'sparql' },
      link,
      fc.tuple(other, path, entity).map((parts) => `${parts.join(' ')} .`),
      fc.tuple(entity, path, path).map(([e, r, s]) => `${e} ${r} [ ${s} ?x ] .`),
      fc.array(entity, { maxLength: 3 }).map((all) => `VALUES ?x { ${all.join(' ')} }`),
      entity.map((e) => `FILTER(?x != ${e} && ?degree >= 0.5)`),
      tie('patterns').map((inner) => `{ ${inner} }`),
      fc.tuple(tie('patterns'), tie('patterns')).map(([a, b]) => `{ ${a} } UNION { ${b} }`),
      tie('patterns').map((inner) => `FILTER NOT EXISTS { ${inner} }`),
      tie('patterns').map((inner) => `MINUS { ${inner} }`),
      tie('patterns').map((inner) => `OPTIONAL { ${inner} }`),
    ),
    patterns: fc
      .tuple(link, fc.array(tie('pattern'), { maxLength: 2 }))
      .map(([first, rest]) => [first, ...rest].join('\n')),
  };
});

/** Queries that are answered: conjunctions of what leads to ?x. */
const answered = fc
  .array(fc.tuple(known, path, fc.constantFrom('', 'FILTER NOT EXISTS', 'MINUS')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => {
    const all = parts.map(([e, steps, negation]) =>
      negation === '' ? `${e} ${steps} ?x .` : `${negation} { ?x ${steps} ${e} }`,
    );
    return `SELECT ?x ?degree { x:a x:r ?x . ${all.join(' ')} } ORDER BY DESC(?degree)`;
  });

const text = fc
  .tuple(
    fc.constantFrom('', 'PREFIX e: <urn:fuzzqe:entity:>\n', 'BASE <http://x/> ', 'PREFIX : <../'),
    fc.constantFrom(
      'SELECT ?x',
      'SELECT ?x ?degree WHERE',
      'SELECT DISTINCT *',
      'ASK',
      'SELECT ?x ?y',
      'DESCRIBE ?x',
    ),
    patterns,
    fc.constantFrom(
      '',
      'ORDER BY DESC(?degree) LIMIT 10',
      'OFFSET 3',
      'GROUP BY ?x',
      'VALUES ?x { x:a }',
      'LIMIT -1',
    ),
  )
  .map(([prologue, form, inner, rest]) => `${prologue}${form} { ${inner} } ${rest}`);

const words = [
  ...[
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    '((',
    '{{',
    '<',
    '>',
    '"',
    "'",
    '"""',
    '#',
    '\\',
    '\\u007b',
    '\\u',
    '\\U0010ffff',
    '_:',
    '^^',
  ],
  ...[
    '?x',
    '$x',
    '?',
    '?degree',
    '.',
    ';',
    ',',
    '/',
    '^',
    '|',
    '!',
    '*',
    '+',
    '&&',
    '||',
    '=',
    'UNDEF',
    '@en',
    '[]',
    '()',
  ],
  ...[
    'a.',
    'a:',
    ':',
    '%',
    '%zz',
    '\n',
    '\0',
    '\ud800',
    '😀',
    'FILTER(',
    'NOT EXISTS',
    '1e400',
    'SELECT',
    'INSERT DATA {',
  ],
];

/** Texts in SPARQL. */
export const sparqlDoors: readonly Door[] = [
  {
    name: 'sparql-text',
    description: 'queries in SPARQL',
    ending: '.rq',
    volume: 'reader',
    seconds: 2,
    inputs: fc.oneof(
      { weight: 3, arbitrary: mutated(utf8(fc.oneof(text, answered)), words) },
      utf8(answered),
    ),
    refusals: ['query', 'vocabulary', 'range'],
    async open() {
      parseSparql('ASK { entity:a relation:r entity:é FILTER(?degree >= 0.5) }', vocabulary);
      return {
        async attempt(input) {
          const read = (text: string): Query | undefined =>
            plainTree(planPattern(parseSparql(text, vocabulary).pattern));
          const query = read(new TextDecoder().decode(input));
          if (query === undefined) return;
          const again = formatSparql(query, vocabulary);
          if (again.length > textLimits.characters) return;
          assert.deepEqual(read(again), query);
        },
      };
    },
  },
];
