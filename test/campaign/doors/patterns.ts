import assert from 'node:assert/strict';
import { formatPattern, type Pattern, parsePatternText, readPattern, writePattern } from '@fuzzqe/core/query';
import { createVocabulary } from '@fuzzqe/names';
import fc, { type Arbitrary } from 'fast-check';
import type { Door } from '../door.ts';
import { jsonSigns, mutated, utf8 } from '../mutations.ts';

/** What patterns name. */
export interface PatternWords {
  /** As the notation writes entities and relations, with names that are not in the graph among them. */
  readonly entities: readonly string[];
  readonly relations: readonly string[];
}

const variable = fc.constantFrom('?x', '?x', '?y', '?y', '?z', '?w');
const answers = fc.constantFrom('', '?x : ', '?x : ', '?x, ?y : ', '?y, ?x : ', '?x, ?x : ', '?x, ?y, ?z : ');

/** Texts that are nearly patterns. */
export function patternText({ entities, relations }: PatternWords): Arbitrary<string> {
  const entity = fc.constantFrom(...entities);
  const term = fc.oneof({ weight: 3, arbitrary: variable }, { weight: 1, arbitrary: entity });
  const relation = fc.constantFrom(...relations);
  const { condition } = fc.letrec<{ condition: string }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 4 },
      {
        weight: 8,
        arbitrary: fc.tuple(relation, term, term).map(([r, from, to]) => `${r}(${from}, ${to})`),
      },
      fc.tuple(term, fc.constantFrom('=', '!='), term).map((parts) => parts.join(' ')),
      fc.tuple(variable, relation, entity).map(([x, r, e]) => `${x} in project(${r}, ${e})`),
      fc.tuple(variable, entity).map(([x, e]) => `like(${x}, ${e})`),
      fc
        .tuple(
          variable,
          fc.constantFrom('height > 3', 'height in 1..2', 'born < 1990-01-01', 'x contains "y"'),
        )
        .map(([x, test]) => `where(${x}, ${test})`),
      fc
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('condition'), { minLength: 1, maxLength: 3 }))
        .map(([op, of]) => `${op}(${of.join(', ')})`),
      tie('condition').map((of) => `not ${of}`),
    ),
  }));
  return fc
    .tuple(answers, fc.array(condition, { minLength: 1, maxLength: 5 }))
    .map(([before, all]) => before + all.join(', '));
}

/** Patterns as JSON, and what is nearly a pattern. */
export function patternJson({ entities, relations }: PatternWords): Arbitrary<unknown> {
  const term = fc.oneof(variable, fc.constantFrom(...entities), fc.constantFrom<unknown>(0, 99, null, {}));
  const link = fc.constantFrom<unknown>(...relations, 0, 99, '__proto__');
  const { condition } = fc.letrec<{ condition: unknown }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 4 },
      { weight: 8, arbitrary: fc.record({ link, from: term, to: term }) },
      fc.record({ same: fc.array(term, { maxLength: 3 }) }),
      fc.record({ in: fc.constantFrom<unknown>(...entities, { entity: 0 }), variable }),
      fc.record({ like: term, variable }),
      fc.record({ and: fc.array(tie('condition'), { maxLength: 3 }) }),
      fc.record({ or: fc.array(tie('condition'), { maxLength: 3 }) }),
      fc.record({ not: tie('condition') }),
      fc.jsonValue({ maxDepth: 2 }),
    ),
  }));
  return fc.record(
    { select: fc.array(variable, { maxLength: 3 }), where: fc.array(condition, { maxLength: 5 }) },
    { requiredKeys: ['where'] },
  );
}

const vocabulary = createVocabulary({
  entities: ['France', 'Germany', 'West African CFA franc', '__proto__', '?x', '#1'].map((key) => ({
    key,
    label: key,
  })),
  relations: ['borders', 'uses currency', 'constructor', 'x^-1'].map((key) => ({ key, label: key })),
});
const words: PatternWords = {
  entities: ['France', 'Germany', '"West African CFA franc"', '#1', '"?x"', 'Nowhere'],
  relations: ['borders', '"uses currency"', 'borders^-1', '#3', 'constructor', '"x^-1"', 'x'],
};
const signs = [
  '?',
  '?x',
  ':',
  ',',
  '(',
  ')',
  'not ',
  'and(',
  '!=',
  ' in ',
  '"',
  '\\',
  '^-1',
  '#',
  '😀',
  '\u202e',
];

const text = (input: Uint8Array): string => new TextDecoder().decode(input);

/** A pattern that was read is written and read again as the same, as text and as JSON. */
function checkPatternAgain(pattern: Pattern): void {
  // Places are of the text that was read.
  const plain = (read: Pattern): unknown =>
    JSON.parse(JSON.stringify(read, (key, value) => (key === 'place' ? undefined : value)));
  const written = formatPattern(pattern, vocabulary);
  assert.equal(formatPattern(parsePatternText(written, vocabulary), vocabulary), written);
  const json = writePattern(pattern, vocabulary);
  assert.deepEqual(writePattern(readPattern(json, vocabulary), vocabulary), json);
  assert.deepEqual(plain(readPattern(written, vocabulary)), plain(parsePatternText(written, vocabulary)));
}

/** Patterns of several variables, in both forms. */
export const patternDoors: readonly Door[] = [
  {
    name: 'pattern-text',
    description: 'the notation of patterns',
    ending: '.txt',
    volume: 'reader',
    inputs: mutated(utf8(patternText(words)), signs),
    refusals: ['query', 'vocabulary', 'range'],
    open: async () => ({
      attempt: async (input) => checkPatternAgain(parsePatternText(text(input), vocabulary)),
    }),
  },
  {
    name: 'pattern-json',
    description: 'patterns as JSON',
    ending: '.json',
    volume: 'reader',
    inputs: mutated(utf8(patternJson(words).map((value) => JSON.stringify(value))), [
      ...jsonSigns,
      '{"and":[',
      '{"not":',
      '"__proto__":',
      '"?x"',
    ]),
    refusals: ['query', 'vocabulary', 'range'],
    open: async () => ({
      async attempt(input) {
        let value: unknown;
        try {
          value = JSON.parse(text(input));
        } catch {
          value = text(input);
        }
        checkPatternAgain(readPattern(value, vocabulary));
      },
    }),
  },
];
