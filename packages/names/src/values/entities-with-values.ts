import { didYouMean, keyBehind, type Vocabulary } from '@fuzzqe/core';
import type { ValueTest } from '@fuzzqe/core/query';
import type { AttributeColumn, Attributes, AttributeValue } from '../rows/attributes.ts';
import { attributeColumns, attributeValues } from '../vocabulary/changed-attributes.ts';
import type { GrowingVocabulary } from '../vocabulary/growing-vocabulary.ts';
import { columnLiterals } from './column-literals.ts';
import { spanOf } from './literal-span.ts';
import { type Literal, passesTest, problem } from './passes-test.ts';

/** Whose literals are tested, as they are now if the vocabulary has grown. */
export interface TestedValues {
  readonly attributes: Attributes;
  readonly vocabulary: Vocabulary | GrowingVocabulary;
}

/**
 * The entities with a recorded literal that passes a test, by ascending ids.
 *
 * Literals of kinds that the test does not compare do not pass: a property may have texts beside numbers. Units are not compared.
 * Time: all literals once for each property, then those of the property.
 *
 * @throws FuzzError `query` at the place of the test: an unknown property, a property without literals that the test compares, a date that there is not.
 * @example
 * entitiesWithValues({ op: 'where', property: 'population', is: '>', values: [1e6] }, { attributes, vocabulary });
 */
export function entitiesWithValues(test: ValueTest, values: TestedValues): Int32Array {
  const { attributes, vocabulary } = values;
  const columns = testedColumns(test, values);
  const changed = 'changedAttributes' in vocabulary ? vocabulary.changedAttributes : undefined;
  const found = new Set<number>();
  const recorded = columns.filter(({ number }) => number < attributes.columns.length);
  columnLiterals(
    attributes,
    recorded.map(({ number }) => number),
  ).forEach(({ ids, literals }, i) => {
    const { key, passes } = recorded[i]!;
    const isChanged = changed?.idsWith(key);
    literals.forEach((literal, at) => {
      if (passes(literal) && !isChanged?.has(ids[at]!)) found.add(ids[at]!);
    });
  });
  for (const key of new Set(columns.map((column) => column.key)))
    for (const id of changed?.idsWith(key) ?? []) if (passing(columns, values, id).length > 0) found.add(id);
  return Int32Array.from(found).sort();
}

/** The literals of an entity that pass a test. Throws: as `entitiesWithValues`. */
export function valuesThatPass(test: ValueTest, values: TestedValues, id: number): AttributeValue[] {
  return passing(testedColumns(test, values), values, id);
}

interface TestedColumn extends AttributeColumn {
  /** The place among the columns; those of the data come first. */
  readonly number: number;
  readonly passes: (value: Literal) => boolean;
}

function passing(
  columns: readonly TestedColumn[],
  { attributes, vocabulary }: TestedValues,
  id: number,
): AttributeValue[] {
  return attributeValues(vocabulary, attributes, id).filter(({ key, type, value }) => {
    const literal = type === 'text' ? value : spanOf(type, value);
    const column = columns.find((each) => each.key === key && each.type === type);
    return literal !== undefined && column?.passes(literal) === true;
  });
}

/** The columns of the property that a test names, with what the test compares. */
function testedColumns(test: ValueTest, { attributes, vocabulary }: TestedValues): TestedColumn[] {
  const all = attributeColumns(vocabulary, attributes);
  const key = keyBehind(test.property, vocabulary.prefixes);
  const ofName = (of: (column: AttributeColumn) => boolean) =>
    all.flatMap((column, number) => (of(column) ? [{ ...column, number }] : []));
  const byKey = ofName((column) => column.key === test.property);
  const byPrefix = byKey.length > 0 || key === undefined ? byKey : ofName((column) => column.key === key);
  const named = byPrefix.length > 0 ? byPrefix : ofName(({ label }) => label === test.property);
  if (named.length === 0) throw unknown(test, all);
  const keys = [...new Set(named.map((column) => column.key))];
  if (keys.length > 1)
    throw problem(
      test,
      'a property',
      `a label of ${keys.length} properties`,
      `Write a key: ${keys.join(', ')}.`,
    );
  const columns = named.flatMap((column) => {
    const passes = passesTest(test, column.type);
    return passes === undefined ? [] : [{ ...column, passes }];
  });
  if (columns.length > 0) return columns;
  const types = [...new Set(named.map(({ type }) => type))].join(', ');
  throw problem(
    test,
    `a comparison of what ${test.property} has (${types})`,
    `${test.is} ${test.values.map((value) => JSON.stringify(value)).join('..')}`,
    hints[named[0]!.type],
  );
}

function unknown(test: ValueTest, columns: readonly AttributeColumn[]): Error {
  const names = [...new Set(columns.flatMap(({ key, label }) => [label, key]))];
  const [first] = names;
  const hint =
    first === undefined
      ? 'The graph has no literals.'
      : `A property is, for example, ${JSON.stringify(first)}.`;
  return problem(
    test,
    'a property of literals',
    JSON.stringify(test.property),
    didYouMean(test.property, names, hint),
  );
}

const hints = {
  number: 'Compare numbers with numbers, such as height > 200.',
  date: 'Compare dates with years, months or days, such as born < 1980-05-31.',
  boolean: 'Compare by = true or = false.',
  text: 'Compare texts by =, != or contains, with the text between double quotes.',
} as const;
