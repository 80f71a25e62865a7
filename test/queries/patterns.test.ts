import { createRandom } from '@fuzzqe/core';
import {
  checkPattern,
  formatPattern,
  isPatternText,
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
  relations: named('borders', 'uses currency', 'spouse', 'in'),
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
    ['? : borders(?x, France)', 'expected a name after ?', 'line 1, column 1'],
  ])('%s: %s', (text, message, place) => {
    const error = fuzzErrorOf(() => parse(text));
    expect(error.message).toContain(message);
    expect(error.path).toBe(place);
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
    [{ where: [{ same: ['Spain'] }] }, '$.where[0].same', 'an array of 2 or more'],
  ])('%j is refused', (json, path, message) => {
    const error = fuzzErrorOf(() => readPattern(json, vocabulary));
    expect(error.message).toContain(message);
    expect(error.path).toBe(path);
  });
});
