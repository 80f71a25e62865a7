import assert from 'node:assert/strict';
import { formatPattern, type Pattern, parsePatternText, readPattern, writePattern } from '@fuzzqe/core/query';
import { createVocabulary } from '@fuzzqe/names';
import fc, { type Arbitrary } from 'fast-check';
import type { Door } from '../door.ts';
import { jsonSigns, mutated, utf8 } from '../mutations.ts';

/** What patterns name, as the notation writes it. */
export interface PatternWords {
  /** In the graph, and a name in JSON too. */
  readonly known: { readonly entities: readonly string[]; readonly relations: readonly string[] };
  /** Names that are quoted, not in the graph, or no names. */
  readonly strange: { readonly entities: readonly string[]; readonly relations: readonly string[] };
}

/** Names of one door: half of the patterns have known names and two variables that their first links join. */
interface Names<T> {
  readonly sound: boolean;
  readonly variable: Arbitrary<string>;
  readonly entity: Arbitrary<T>;
  readonly relation: Arbitrary<T>;
}

function names({ known, strange }: PatternWords, sound: boolean): Names<string> {
  const all = (of: 'entities' | 'relations'): readonly string[] =>
    sound ? known[of] : [...known[of], ...strange[of]];
  return {
    sound,
    variable: sound ? fc.constantFrom('?x', '?y') : fc.constantFrom('?x', '?x', '?y', '?y', '?z', '?w'),
    entity: fc.constantFrom(...all('entities')),
    relation: fc.constantFrom(...all('relations')),
  };
}

const answers = fc.constantFrom('', '?x : ', '?x : ', '?x, ?y : ', '?y, ?x : ', '?x, ?x : ', '?x, ?y, ?z : ');

/** Texts that are nearly patterns, and patterns. */
export function patternText(words: PatternWords): Arbitrary<string> {
  return fc.oneof(textOf(names(words, true)), textOf(names(words, false)));
}

function textOf({ sound, variable, entity, relation }: Names<string>): Arbitrary<string> {
  const term = fc.oneof({ weight: 3, arbitrary: variable }, { weight: 1, arbitrary: entity });
  const least = sound ? 2 : 1;
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
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('condition'), { minLength: least, maxLength: 3 }))
        .map(([op, of]) => `${op}(${of.join(', ')})`),
      tie('condition').map((of) => `not ${of}`),
    ),
  }));
  if (!sound)
    return fc
      .tuple(answers, fc.array(condition, { minLength: 1, maxLength: 5 }))
      .map(([before, all]) => before + all.join(', '));
  return fc
    .tuple(
      fc.constantFrom('', '?x : ', '?x, ?y : ', '?y, ?x : '),
      fc.tuple(relation, entity).map(([r, e]) => `${r}(${e}, ?x)`),
      relation.map((r) => `${r}(?x, ?y)`),
      fc.array(condition, { maxLength: 3 }),
    )
    .map(([before, first, second, others]) => before + [first, second, ...others].join(', '));
}

/** Patterns as JSON, and what is nearly a pattern. */
export function patternJson(words: PatternWords): Arbitrary<unknown> {
  const strange = names(words, false);
  return fc.oneof(
    jsonOf(names(words, true)),
    jsonOf({
      ...strange,
      entity: fc.oneof(strange.entity, fc.constantFrom<unknown>(0, 99, null, {})),
      relation: fc.oneof(strange.relation, fc.constantFrom<unknown>(0, 99, '__proto__')),
    }),
  );
}

function jsonOf({ sound, variable, entity, relation }: Names<unknown>): Arbitrary<unknown> {
  const term = fc.oneof({ weight: 3, arbitrary: variable }, { weight: 1, arbitrary: entity });
  const least = sound ? 2 : 0;
  const { condition } = fc.letrec<{ condition: unknown }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 4 },
      { weight: 8, arbitrary: fc.record({ link: relation, from: term, to: term }) },
      fc.record({ same: fc.array(term, { minLength: least, maxLength: sound ? 2 : 3 }) }),
      fc.record({ in: fc.oneof(entity, fc.constant({ entity: 0 })), variable }),
      fc.record({ like: entity, variable }),
      fc.record({ and: fc.array(tie('condition'), { minLength: least, maxLength: 3 }) }),
      fc.record({ or: fc.array(tie('condition'), { minLength: least, maxLength: 3 }) }),
      fc.record({ not: tie('condition') }),
      ...(sound ? [] : [fc.jsonValue({ maxDepth: 2 })]),
    ),
  }));
  if (!sound)
    return fc.record(
      { select: fc.array(variable, { maxLength: 3 }), where: fc.array(condition, { maxLength: 5 }) },
      { requiredKeys: ['where'] },
    );
  return fc
    .tuple(
      fc.constantFrom(['?x'], ['?x', '?y'], ['?y', '?x']),
      fc.record({ link: relation, from: entity, to: fc.constant('?x') }),
      fc.record({ link: relation, from: fc.constant('?x'), to: fc.constant('?y') }),
      fc.array(condition, { maxLength: 3 }),
    )
    .map(([select, first, second, others]) => ({ select, where: [first, second, ...others] }));
}

const vocabulary = createVocabulary({
  entities: ['France', 'Germany', 'West African CFA franc', '__proto__', '?x', '#1'].map((key) => ({
    key,
    label: key,
  })),
  relations: ['borders', 'uses currency', 'constructor', 'x^-1'].map((key) => ({ key, label: key })),
});
const words: PatternWords = {
  known: { entities: ['France', 'Germany'], relations: ['borders', 'borders^-1', 'constructor'] },
  strange: {
    entities: ['#1', '"West African CFA franc"', '"?x"', 'Nowhere'],
    relations: ['#3', '"uses currency"', '"x^-1"', 'x'],
  },
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

/** Half of the inputs stay as they are: few changed patterns are patterns, and each of them is written and read again. */
const partlyMutated: typeof mutated = (valid, dictionary) => fc.oneof(valid, mutated(valid, dictionary));

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
    inputs: partlyMutated(utf8(patternText(words)), signs),
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
    inputs: partlyMutated(utf8(patternJson(words).map((value) => JSON.stringify(value))), [
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
