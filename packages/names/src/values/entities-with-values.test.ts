import type { ValueTest } from '@fuzzqe/core/query';
import { fuzzErrorOf } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { type AttributeType, readAttributes } from '../rows/attributes.ts';
import { entityRowText } from '../rows/entity-rows.ts';
import { createVocabulary } from '../vocabulary/create-vocabulary.ts';
import { growingVocabulary } from '../vocabulary/growing-vocabulary.ts';
import { entitiesWithValues, valuesThatPass } from './entities-with-values.ts';
import type { ValuesState } from './named-columns.ts';
import { sortedByValue } from './sorted-by-value.ts';

type Column = readonly [key: string, label: string, type: AttributeType, language?: string];

/** Entities with values by column. */
function valuesOf(
  columns: readonly Column[],
  ...entities: readonly (readonly [number, string][])[]
): ValuesState {
  const lines = columns.map(([key, label, type, language = ''], i) =>
    [i, key, label, type, language, ''].join('\t'),
  );
  const rows = entities.flatMap((of, id) =>
    of.map(([column, value]) => entityRowText(id, [String(column), value])),
  );
  const bytes = new TextEncoder().encode(rows.join(''));
  const paths = { entityCount: entities.length, columnsPath: 'attributes.tsv', valuesPath: 'values.tsv' };
  return {
    attributes: readAttributes(lines.map((line) => `${line}\n`).join(''), () => bytes, paths),
    vocabulary: createVocabulary({
      entities: entities.map((_, id) => ({ key: `e${id}`, label: `entity ${id}` })),
      relations: [],
      prefixes: new Map([['ex', 'http://example.org/']]),
    }),
  };
}
const test = (property: string, is: ValueTest['is'], ...values: ValueTest['values']): ValueTest => ({
  op: 'where',
  property,
  is,
  values,
  place: 'line 1, column 14',
});
const columns: readonly Column[] = [
  ['P1', 'height', 'number'],
  ['P2', 'born', 'date'],
  ['P3', 'motto', 'text', 'en'],
  ['P4', 'open', 'boolean'],
  ['http://example.org/note', 'note', 'text'],
  ['P3', 'motto', 'text', 'fr'],
];
const some = valuesOf(
  columns,
  [
    [0, '150'],
    [1, '1980-05-31'],
    [2, 'Liberty, Égalité'],
    [3, 'true'],
  ],
  [
    [0, '200.0'],
    [1, '1980'],
    [5, 'égalité'],
    [3, 'false'],
  ],
  [
    [0, '200'],
    [0, '90'],
    [1, '1981-01-01T00:00:00Z'],
    [3, '1'],
  ],
  [
    [0, 'NaN'],
    [0, '-INF'],
    [1, '1980-05'],
    [4, 'with\ttab'],
  ],
  [[1, '12:00:00']],
);
const found = (of: ValueTest, values = some): number[] => [...entitiesWithValues(of, values)];

describe('entities by their literals', () => {
  it.each<[ValueTest, number[]]>([
    [test('height', '>', 150), [1, 2]],
    [test('height', '>=', 150), [0, 1, 2]],
    // One of two values is enough; an infinite height is low, NaN is no height.
    [test('height', '<', 100), [2, 3]],
    [test('height', '=', 200), [1, 2]],
    [test('height', '!=', 200), [0, 2, 3]],
    [test('height', '<=', 150), [0, 2, 3]],
    // Both ends belong to a range.
    [test('height', 'in', 150, 200), [0, 1, 2]],
    // 90 is not between and 200 is not, though each end alone has a value of entity 2.
    [test('height', 'in', 100, 199), [0]],
    [test('P1', '>', 199.5), [1, 2]],
  ])('compare numbers as numbers: %j', (of, expected) => {
    expect(found(of)).toEqual(expected);
  });

  it.each<[ValueTest, number[]]>([
    [test('born', '=', 1980), [0, 1, 3]],
    [test('born', '=', '1980-05'), [0, 3]],
    [test('born', '=', '1980-05-31'), [0]],
    // A year or a month that begins before and ends after is neither before nor after.
    [test('born', '<', '1980-05-31'), []],
    [test('born', '<=', '1980-05-31'), [0, 3]],
    [test('born', '>', '1980-05-30'), [0, 2]],
    [test('born', '!=', '1980-05-31'), [2]],
    [test('born', '>', 1980), [2]],
    [test('born', 'in', 1979, 1980), [0, 1, 3]],
    [test('born', 'in', '1980-05', 1981), [0, 2, 3]],
  ])('compare dates as all their seconds: %j', (of, expected) => {
    expect(found(of)).toEqual(expected);
  });

  it.each<[ValueTest, number[]]>([
    [test('motto', 'contains', 'egalite'), [0, 1]],
    [test('motto', 'contains', 'LIBERTY'), [0]],
    [test('motto', '=', 'égalité'), [1]],
    [test('motto', '=', 'Égalité'), []],
    [test('motto', '!=', 'égalité'), [0]],
    [test('open', '=', true), [0, 2]],
    [test('open', '!=', true), [1]],
    [test('note', '=', 'with\ttab'), [3]],
    [test('ex:note', 'contains', 'tab'), [3]],
    [test('http://example.org/note', 'contains', 'tab'), [3]],
  ])('compare texts and booleans: %j', (of, expected) => {
    expect(found(of)).toEqual(expected);
  });

  it('say which literals pass', () => {
    expect(valuesThatPass(test('height', '<', 100), some, 2).map(({ value }) => value)).toEqual(['90']);
    expect(valuesThatPass(test('height', '<', 50), some, 2)).toEqual([]);
  });

  it.each([
    [test('heigt', '>', 1), 'expected a property of literals, got "heigt"', '"height"'],
    [
      test('born', '>', 200.5),
      'expected a comparison of what born has (date), got > 200.5',
      'born < 1980-05-31',
    ],
    [
      test('height', '>', '1980-05-31'),
      'of what height has (number), got > "1980-05-31"',
      'numbers with numbers',
    ],
    [test('height', '=', 'tall'), 'of what height has (number), got = "tall"', 'numbers with numbers'],
    [test('motto', '=', 7), 'of what motto has (text), got = 7', 'between double quotes'],
    [test('height', 'contains', '2'), 'of what height has (number), got contains "2"', 'numbers'],
    [test('born', '<', '1980-02-30'), 'expected a date that there is, got 1980-02-30', '1980-05'],
    [test('height', 'in', 200, 100), 'expected the lower value first, got 200..100', 'Swap'],
  ])('refuse %j', (of, message, hint) => {
    const error = fuzzErrorOf(() => entitiesWithValues(of, some));
    expect(error.code).toBe('query');
    expect(error.message).toContain(message);
    expect(error.path).toBe('line 1, column 14');
    expect(error.hint).toContain(hint);
  });

  it('refuse a label of two properties, and a graph without literals', () => {
    const two = valuesOf(
      [
        ['P1', 'size', 'number'],
        ['P2', 'size', 'number'],
      ],
      [[0, '1']],
      [[1, '1']],
    );
    expect(fuzzErrorOf(() => found(test('size', '=', 1), two)).hint).toContain('P1, P2');
    expect(found(test('P2', '=', 1), two)).toEqual([1]);
    const none = valuesOf([], []);
    expect(fuzzErrorOf(() => found(test('size', '=', 1), none)).hint).toContain('no literals');
  });

  it('are those of now, where values changed', () => {
    const { attributes, vocabulary } = valuesOf(columns, [[0, '150']], [[0, '200']], []);
    const growing = growingVocabulary(vocabulary);
    const now: ValuesState = { attributes, vocabulary: growing };
    const tall = test('height', '>', 180);
    expect(found(tall, now)).toEqual([1]);
    const height = (value: string) => ({
      key: 'P1',
      values: [{ type: 'number', language: '', unit: '', value } as const],
    });
    const mass = { key: 'P9', values: [{ type: 'number', language: '', unit: 'kg', value: '5' } as const] };
    growing.put({
      entities: [
        { key: 'e0', label: 'entity 0', attributes: [height('190'), mass] },
        { key: 'e1', label: 'entity 1', attributes: [{ key: 'P1', values: [] }] },
        { key: 'e3', label: 'entity 3', attributes: [height('181')] },
      ],
    });
    expect(found(tall, now)).toEqual([0, 3]);
    expect(found(test('P9', '=', 5), now)).toEqual([0]);
    growing.put({ entities: [{ key: 'e0', label: 'entity 0', attributes: [{ key: 'P1', values: null }] }] });
    expect(found(tall, now)).toEqual([3]);
    expect(found(test('height', '=', 150), now)).toEqual([0]);
  });
});

describe('entities sorted by their literals', () => {
  const sorted = (ids: readonly number[], property: string, descending = false, values = some) =>
    sortedByValue(ids, { property, descending }, values, '$.order').map(
      ({ place, value }) => `${ids[place]} ${value?.value ?? '–'}`,
    );

  it('have the lowest value first, or the highest, and without a value they are last', () => {
    const ids = [4, 3, 2, 1, 0];
    expect(sorted(ids, 'height')).toEqual(['3 -INF', '2 90', '0 150', '1 200.0', '4 –']);
    expect(sorted(ids, 'height', true)).toEqual(['2 200', '1 200.0', '0 150', '3 -INF', '4 –']);
    // A date that begins earlier comes first.
    const dates = ['1 1980', '3 1980-05', '0 1980-05-31', '2 1981-01-01T00:00:00Z', '4 –'];
    expect(sorted(ids, 'born')).toEqual(dates);
    expect(sorted([0, 1], 'motto')).toEqual(['0 Liberty, Égalité', '1 égalité']);
    expect(sorted([0, 1], 'motto', true)).toEqual(['1 égalité', '0 Liberty, Égalité']);
    expect(sorted([2, 1, 0], 'open')).toEqual(['1 false', '2 1', '0 true']);
  });

  it('are refused by an unknown property', () => {
    const error = fuzzErrorOf(() => sorted([0], 'heigt'));
    expect([error.path, error.message]).toEqual([
      '$.order',
      'order: expected a property of literals, got "heigt"',
    ]);
    expect(error.hint).toContain('did you mean "height"?');
  });
});
