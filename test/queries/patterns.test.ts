import { createRandom } from '@fuzzqe/core';
import {
  checkPattern,
  formatPattern,
  isPatternText,
  meaningsOf,
  parsePatternText,
  planPattern,
  readPattern,
  treeOf,
  writePattern,
} from '@fuzzqe/core/query';
import { fuzzErrorOf, somePattern } from '@fuzzqe/core/testing';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';

const named = (...names: readonly string[]) => names.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: named('France', 'Spain', 'Euro', 'New York', '?', 'not'),
  relations: named('borders', 'uses currency', 'spouse', 'in', 'like', 'where'),
});
const parse = (text: string) => parsePatternText(text, vocabulary);

describe('patterns as text and JSON', () => {
  it('are read with variables, entities and every kind of condition', () => {
    const pattern = parse(
      '?x, ?y : borders(?x, ?y), "uses currency"(?x, Euro), not borders(?y, Spain), ?x != ?y, or(spouse(?x, ?y), (spouse^-1(?x, ?z), ?z = France)), ?y in project(borders, France)',
    );
    expect(pattern.variables).toEqual(['x', 'y', 'z']);
    expect(pattern.answers).toEqual([0, 1]);
    expect(formatPattern(pattern, vocabulary)).toBe(
      '?x, ?y : borders(?x, ?y), "uses currency"(?x, Euro), not borders(?y, Spain), ?x != ?y, or(spouse(?x, ?y), (spouse^-1(?x, ?z), ?z = France)), ?y in project(borders, France)',
    );
  });

  it('come back from text and from JSON', () => {
    const random = createRandom('patterns as text');
    let read = 0;
    for (let drawn = 0; drawn < 300; drawn += 1) {
      const pattern = somePattern(random, { entityCount: 6, relationCount: 8, variables: 5, atoms: 6 });
      try {
        checkPattern(pattern, vocabulary);
      } catch {
        continue;
      }
      read += 1;
      const text = formatPattern(pattern, vocabulary);
      expect(formatPattern(parse(text), vocabulary)).toBe(text);
      expect(isPatternText(text)).toBe(true);
      const json = JSON.parse(JSON.stringify(writePattern(pattern, vocabulary)));
      expect(formatPattern(readPattern(json, vocabulary), vocabulary)).toBe(text);
    }
    expect(read).toBeGreaterThan(100);
  });

  it.each([
    ['?x : borders+(?x, France)', '?x : borders+(?x, France)'],
    ['?x : borders ^-1*(?x, France)', undefined],
    ['?x : borders^-1*(?x, France), "uses currency"?(?x, ?y), not spouse+(?x, ?z)', undefined],
    ['?x : "borders"+(?x, France), #0?(?x, France)', '?x : borders+(?x, France), borders?(?x, France)'],
    ['"uses currency"+(France, Euro)', undefined],
    // A relation whose name ends with a plus is told from a repeated one.
    ['?x : C+(?x, France), C(?x, France), "C"+(?x, Euro), C++(?x, Spain)', undefined],
  ])('repeat relations: %s', (text, written = text.replace(' ^', '^')) => {
    const names = createVocabulary({
      entities: named('France', 'Spain', 'Euro'),
      relations: named('borders', 'uses currency', 'spouse', 'C', 'C+'),
    });
    const pattern = parsePatternText(text, names);
    expect(formatPattern(pattern, names)).toBe(written);
    const json = JSON.parse(JSON.stringify(writePattern(pattern, names)));
    expect(formatPattern(readPattern(json, names), names)).toBe(written);
    expect(isPatternText(text)).toBe(true);
  });

  it('say where a repeated relation is unknown, or a sign is none', () => {
    expect(fuzzErrorOf(() => parse('?x : border+(?x, France)'))).toMatchObject({
      code: 'vocabulary',
      message: expect.stringContaining('"border"'),
      hint: expect.stringContaining('borders'),
      path: 'line 1, column 6',
    });
    expect(fuzzErrorOf(() => parse('?x : borders!(?x, France)')).code).toBe('query');
    const link = { link: 'borders', from: '?x', to: 'France', repeat: 'twice' };
    expect(fuzzErrorOf(() => readPattern({ select: ['?x'], where: [link] }, vocabulary))).toMatchObject({
      message: expect.stringContaining('expected "?", "*" or "+", got "twice"'),
      path: '$.where[0].repeat',
    });
    // A tree has no repeated relations.
    expect(isPatternText('project(borders+, France)')).toBe(false);
  });

  it.each([
    '?x : where(?x, height > 200)',
    '?x : where(?x, "born on" in 1970..1980), not where(?x, height <= -1.5)',
    '?x, ?y : borders(?x, ?y), where(?x, born < 1980-05-31), or(where(?y, open = true), where(?y, motto contains "a\\"b, (c)"))',
    '?x : where(?x, "http://example.org/height m" != 1e+21), where(?x, motto = "1980")',
    '?x : like(?x, France), not like(?x, "New York")',
    '?x : "like"(?x, France), "where"(?x, ?y), like(?y, "?")',
    'where(?x, born in 1970-01..1980-12)',
  ])('have conditions on values and likeness: %s', (text) => {
    const pattern = parse(text);
    expect(formatPattern(pattern, vocabulary)).toBe(text);
    const json = JSON.parse(JSON.stringify(writePattern(pattern, vocabulary)));
    expect(formatPattern(readPattern(json, vocabulary), vocabulary)).toBe(text);
    expect(isPatternText(text)).toBe(true);
  });

  it('read values however they are spaced, and name a set by its meaning', () => {
    const names = (text: string) => [...meaningsOf(parse(text)).keys()];
    expect(names('?x : where(?x,height>200), where(?x, height<=200)')).toEqual([
      'where(height > 200)',
      'where(height <= 200)',
    ]);
    expect(names('?x : where(?x, born in 1970 .. 1980)')).toEqual(['where(born in 1970..1980)']);
    expect(names('?x : where(?x, born in 1980), where(?x, born = 1980.0)')).toEqual(['where(born = 1980)']);
    expect(names('?x : where(?x, <http://example.org/h> < +2e2)')).toEqual([
      'where(http://example.org/h < 200)',
    ]);
    expect(names('?x : like(?x, Spain), like(?x, #1)')).toEqual(['like(#1)']);
    expect(names('?x : borders(?x, ?y)')).toEqual([]);
  });

  it('read JSON with a value or a range', () => {
    const where = [
      { where: 'height', is: 'in', value: [100, 200], variable: '?x' },
      { where: 'born', is: '>', value: '1980-05', variable: '?x' },
      { like: 1, variable: '?x' },
    ];
    expect(formatPattern(readPattern({ select: ['?x'], where }, vocabulary), vocabulary)).toBe(
      '?x : where(?x, height in 100..200), where(?x, born > 1980-05), like(?x, Spain)',
    );
  });

  it('become sets', () => {
    const tree = treeOf(
      planPattern(parse('?y : borders(?x, ?y), where(?x, height > 200), like(?x, France)')),
    );
    const given = (name: string) => ({ op: 'given', name });
    expect(tree).toEqual({
      op: 'project',
      relation: 0,
      from: { op: 'and', operands: [given('where(height > 200)'), given('like(#0)')] },
    });
  });

  it('are trees where no variable is shared', () => {
    const tree = treeOf(planPattern(parse('?x : borders(?x, ?y), "uses currency"(?y, Euro)')));
    expect(tree).toEqual({
      op: 'project',
      relation: 1,
      from: { op: 'project', relation: 3, from: { op: 'entity', entity: 2 } },
    });
    expect(treeOf(planPattern(parse('?x : borders(?x, ?y), spouse(?x, ?y)')))).toBeUndefined();
  });

  it('are told from trees', () => {
    for (const text of [
      '?x : borders(?x, France)',
      'borders(France, Spain)',
      'spouse^-1(France, Spain)',
      'France = Spain',
    ])
      expect(isPatternText(text), text).toBe(true);
    for (const text of [
      'France',
      'project(borders, France)',
      'and(France, not(Spain))',
      '"?x"',
      'project(borders^-1, France)',
    ])
      expect(isPatternText(text), text).toBe(false);
  });

  it.each([
    ['?x : borders(?x)', 'expected ",", got ")"', 'line 1, column 16'],
    ['?x : bordrs(?x, ?y)', 'got "bordrs"', 'line 1, column 6'],
    ['?x : borders(?x, Frnce)', 'got "Frnce"', 'line 1, column 18'],
    ['?x ?y : borders(?x, ?y)', 'expected =, != or in, got the variable ?y', 'line 1, column 4'],
    ['?x, ?y borders(?x, ?y)', 'expected "," or ":", got the name "borders"', 'line 1, column 8'],
    ['?x : borders(?x, ?y) spouse(?x, ?y)', 'expected "," or the end', 'line 1, column 22'],
    ['?x : or(borders(?x, France))', 'expected two or more operands', 'line 1, column 6'],
    ['?x : where(height > 200)', 'expected a variable, got the name "height"', 'line 1, column 12'],
    ['?x : where(?x, height)', 'expected =, !=, <, <=, >, >=, in or contains, got ")"', 'line 1, column 22'],
    ['?x : where(?x, height > )', 'expected a value, got ")"', 'line 1, column 25'],
    ['?x : where(?x, height > ?h)', 'expected a value, got the variable ?h', 'line 1, column 25'],
    ['?x : where(?x, height > tall)', 'expected a number, a date, true or false, got', 'line 1, column 25'],
    ['?x : where(?x, height > "tall")', 'a number or a date to compare by >, got "tall"', 'column 16'],
    ['?x : where(?x, open < true)', 'a number or a date to compare by <, got', 'column 16'],
    ['?x : where(?x, name contains 5)', 'a text that the value contains, got', 'column 16'],
    ['?x : where(?x, height in 1..)', 'expected a number, a date, true or false', 'column 26'],
    ['?x : where(?x, #3 > 200)', 'expected a property, got the id #3', 'line 1, column 16'],
    ['?x : like(?x, ?y)', 'expected an entity, got the variable ?y', 'line 1, column 15'],
    ['?x : like(?x, Frnce)', 'got "Frnce"', 'line 1, column 15'],
    ['?x : like(France, ?x)', 'expected a variable, got the name "France"', 'line 1, column 11'],
    ['? : borders(?x, France)', 'got "?"', 'line 1, column 1'],
  ])('%s: %s', (text, message, place) => {
    const error = fuzzErrorOf(() => parse(text));
    expect(error.message).toContain(message);
    expect(error.path).toContain(place);
    expect(error.hint).toContain('^');
  });

  it.each([
    [
      '?x : not borders(?x, France)',
      'answer variable ?x in a condition that is not negated, got it only under "not"',
    ],
    ['?x, ?y : borders(?x, France)', '?y in a condition that is not negated, got it in no condition'],
    ['?x, ?y : or(spouse(?x, ?y), borders(?x, France))', 'answer variable ?y'],
    ['?x : borders(?x, France), not spouse(?x, ?y), not borders(?x, ?y)', 'the variable ?y'],
    ['?x, ?y : borders(?x, France), borders(?y, Spain)', '?x and ?y without a connection'],
    ['?x, ?y : borders(?x, France), borders(?y, Spain), ?x != ?y', 'without a connection'],
    ['?x, ?x : borders(?x, France)', 'got a variable twice'],
    [`?x : ${Array.from({ length: 65 }, () => 'borders(?x, France)').join(', ')}`, 'at most 64 conditions'],
    [
      `?x : ${Array.from({ length: 17 }, (_, i) => `borders(?x, ?y${i})`).join(', ')}`,
      'at most 16 variables',
    ],
  ])('%s: %s', (text, message) => {
    expect(fuzzErrorOf(() => parse(text)).message).toContain(message);
  });

  it.each([
    [{ where: [] }, '$.where', 'an array of 1 or more'],
    [
      { select: ['x'], where: [{ link: 'borders', from: '?x', to: 'France' }] },
      '$.select[0]',
      'a variable such as "?x"',
    ],
    [{ where: [{ links: 'borders' }] }, '$.where[0]', '{"link": …'],
    [{ where: [{ link: 'bordrs', from: 'Spain', to: 'France' }] }, '$.where[0].link', 'bordrs'],
    [{ where: [{ link: 'borders', from: 'Spain', to: 'France', also: 1 }] }, '$.where[0]', 'no key beside'],
    [
      { where: [{ where: 'height', is: '>', variable: '?x' }] },
      '$.where[0]',
      'a number, a date, true, false',
    ],
    [{ where: [{ where: '', is: '>', value: 1, variable: '?x' }] }, '$.where[0]', 'the name of a property'],
    [{ where: [{ where: 'h', is: '=>', value: 1, variable: '?x' }] }, '$.where[0]', 'an operator, got "=>"'],
    [{ where: [{ where: 'h', is: 'in', value: 1, variable: '?x' }] }, '$.where[0]', 'the first and the last'],
    [{ where: [{ where: 'h', is: '=', value: [1, 2], variable: '?x' }] }, '$.where[0]', 'one value'],
    [{ where: [{ where: 'h', is: '=', value: null, variable: '?x' }] }, '$.where[0]', 'got null'],
    [{ where: [{ where: 'h', is: '=', value: 1 }] }, '$.where[0].variable', 'a variable such as'],
    [{ where: [{ like: 'Spain', variable: 'x' }] }, '$.where[0].variable', 'a variable such as'],
    [{ where: [{ like: 9, variable: '?x' }] }, '$.where[0].like', 'expected an integer'],
    [{ where: [{ same: ['Spain'] }] }, '$.where[0].same', 'an array of 2 or more'],
  ])('%j is refused', (json, path, message) => {
    const error = fuzzErrorOf(() => readPattern(json, vocabulary));
    expect(error.message).toContain(message);
    expect(error.path).toBe(path);
  });
});
