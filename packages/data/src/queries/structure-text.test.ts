import { createRandom } from '@fuzzqe/core';
import { structureNames, structures } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { formatStructure, parseStructure, structureOf } from '../index.ts';
import { randomStructureText } from '../testing/small-graphs.ts';
import { formatTemplate } from './structure-text.ts';

describe('the text of a structure', () => {
  it.each(structureNames)('is recognised as %s, by its name and by its shape', (name) => {
    expect(parseStructure(name)).toEqual(structureOf(name));
    expect(parseStructure(formatTemplate(structures[name].template))).toEqual(structureOf(name));
  });

  it('recognises one of the 14 with its operands in another order', () => {
    const text = 'and(not(project(?out, ?b)), project(?in, ?a))';
    expect(parseStructure(text)).toEqual(structureOf('2in'));
    expect(parseStructure(`2in = ${text}`).name).toBe('2in');
  });

  it('comes back as it was written', () => {
    const random = createRandom('texts');
    for (let i = 0; i < 60; i++) {
      const structure = parseStructure(randomStructureText(random, i % 4));
      expect(parseStructure(formatStructure(structure))).toEqual(structure);
    }
    const named = parseStructure('far = project(?d, project(?c, project(?b, project(?a, ?start))))');
    expect(named).toMatchObject({ name: 'far', anchors: 1, relations: 4, negation: false });
    expect(parseStructure(formatStructure(named))).toEqual(named);
  });

  it('numbers slots as the 14 do: anchors as they are read, relations as they are applied', () => {
    const structure = parseStructure('x = project(?z, and(project(?y, ?b), project(?x, project(?w, ?a))))');
    expect(formatStructure(structure)).toBe(
      'x = project(?r4, and(project(?r1, ?a1), project(?r3, project(?r2, ?a2))))',
    );
  });

  it.each([
    ['nothing', '', 'got the end of the text'],
    ['a name in the place of an anchor', 'project(?r, France)', 'a placeholder for an anchor, got "France"'],
    [
      'a name in the place of a relation',
      'project(borders, ?a)',
      'a placeholder for a relation, got "borders"',
    ],
    ['an inverse', 'project(?r^-1, ?a)', 'got "^-1"'],
    ['a placeholder twice', 'and(project(?r, ?a), project(?r, ?b))', '?r again'],
    ['one operand', 'and(project(?r, ?a))', 'two or more operands, got 1'],
    ['an unknown operator', 'xor(project(?r, ?a), ?b)', 'project, and, or or not'],
    ['no projection', 'and(?a, ?b)', 'at least one project'],
    ['an anchor alone', '?a', 'at least one project'],
    ['a negation at the root', 'not(project(?r, ?a))', 'not negated'],
    ['a negation alone under a projection', 'project(?s, not(project(?r, ?a)))', 'not negated'],
    ['a negation in a disjunction', 'or(project(?r, ?a), not(project(?s, ?b)))', 'or: expected an operand'],
    ['negations alone', 'and(not(project(?r, ?a)), not(project(?s, ?b)))', 'and: expected an operand'],
    ['a double negation', 'and(project(?r, ?a), not(not(project(?s, ?b))))', 'not: expected a query'],
    ['an open parenthesis', 'project(?r, ?a', 'expected ")"'],
    ['more than one query', 'project(?r, ?a) ?b', 'the end of the text'],
    ['the name of another shape', '2p = project(?r, ?a)', 'another name than 2p'],
  ])('is refused with %s', (_what, text, message) => {
    expect(() => parseStructure(text)).toThrow(expect.objectContaining({ code: 'query' }));
    expect(() => parseStructure(text)).toThrow(message);
  });
});
