import { asEntityId, asRelationId } from '@fuzzqe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countryNames } from '../testing/country-names.ts';
import { addHop, addPart, join, negate, remove, setAnchor, setRelation, unwrap } from './edits.ts';
import { createHistory, edit, redo, undo } from './history.ts';
import { keepKeys } from './keep-keys.ts';
import { createNaming } from './naming.ts';
import { emptyQuestion, everyPart, findPart, parentOf, type Question } from './question.ts';
import { readText, writeText } from './text.ts';
import { fromQuery, toQuery } from './to-query.ts';

const naming = createNaming(countryNames());
const show = (question: Question): Promise<string> => writeText(question, naming);
const read = (text: string): Promise<Question> => readText(text, naming);
/** The key of the part that begins with that text. */
const keyOf = async (question: Question, text: string): Promise<string> => {
  for (const part of everyPart(question)) if ((await show(part)).startsWith(text)) return part.key;
  throw new Error(`no part ${text}`);
};

describe('edits', () => {
  it('build "borders France and does not use the franc" step by step', async () => {
    let question = setAnchor(emptyQuestion, 'q1', asEntityId(0));
    question = addHop(question, 'q1', asRelationId(0));
    question = join(question, question.key, 'and');
    expect(await show(question)).toBe('and(project(borders, France), ?)');
    expect(toQuery(question)).toBeUndefined();
    const hole = await keyOf(question, '?');
    question = addHop(setAnchor(question, hole, asEntityId(4)), hole);
    expect(await show(question)).toBe('and(project(borders, France), project(?, "West African franc"))');
    question = setRelation(question, await keyOf(question, 'project(?'), asRelationId(3));
    const [, hop] = question.kind === 'and' ? question.parts : [];
    question = negate(question, hop!.key);
    const text = 'and(project(borders, France), not(project("uses currency"^-1, "West African franc")))';
    expect(await show(question)).toBe(text);
    expect(toQuery(question)).toEqual(toQuery(await read(text)));
  });

  it.each([
    [
      'a part joined with its own kind gets one more',
      'and(France, Germany)',
      'France',
      'and(France, ?, Germany)',
    ],
    ['another kind stands around the part', 'or(France, Germany)', 'France', 'or(and(France, ?), Germany)'],
    ['the joint itself gets one more', 'and(France, Germany)', 'and', 'and(France, Germany, ?)'],
    [
      'what is below a hop is joined there',
      'project(borders, France)',
      'France',
      'project(borders, and(France, ?))',
    ],
  ])('join: %s', async (_, text, at, expected) => {
    const question = await read(text);
    const key = await keyOf(question, at);
    expect(await show(join(question, key, 'and'))).toBe(expected);
    expect(await show(join(question, key, 'not'))).toBe(expected.replace('?', 'not(?)'));
  });

  it.each([
    ['one of three', 'and(France, Germany, Q90)', 'Germany', 'and(France, Q90)'],
    ['one of two leaves the other', 'or(France, not(Germany))', 'not', 'France'],
    ['what is negated goes with its negation', 'and(France, not(Germany))', 'Germany', 'France'],
    ['what a hop is of leaves a place', 'project(borders, France)', 'France', 'project(borders, ?)'],
    ['the whole leaves a place', 'not(project(borders, France))', 'project', '?'],
    ['all of an inner joint but one', 'project(borders, and(France, ?))', '?', 'project(borders, France)'],
  ])('remove: %s', async (_, text, at, expected) => {
    const question = await read(text);
    expect(await show(remove(question, await keyOf(question, at)))).toBe(expected);
  });

  it('change negations, and back', async () => {
    const question = await read('and(project(borders, France), not(Germany))');
    const hop = await keyOf(question, 'project');
    for (const at of ['not', 'Germany'])
      expect(await show(negate(question, await keyOf(question, at)))).toBe(
        'and(project(borders, France), Germany)',
      );
    expect(await show(unwrap(question, hop))).toBe('and(France, not(Germany))');
    expect(await show(unwrap(question, question.key))).toBe('project(borders, France)');
    expect(await show(addPart(question, question.key, hop))).toBe(
      'and(project(borders, France), ?, not(Germany))',
    );
  });

  it('leave parts alone that they are not about, and questions without the part', async () => {
    const question = await read('and(project(borders, France), not(Germany))');
    const [first, second] = question.kind === 'and' ? question.parts : [];
    const after = negate(question, second!.key);
    expect(after.kind === 'and' && after.parts[0]).toBe(first);
    for (const change of [setAnchor, addHop, negate, remove, unwrap, addPart])
      expect(change(question, 'q99'), change.name).toBe(question);
    expect(join(question, 'q99', 'or')).toBe(question);
  });

  it('keep keys apart, whatever is done', () => {
    const steps = [
      (question: Question, key: string) => setAnchor(question, key, asEntityId(1)),
      (question: Question, key: string) => addHop(question, key, asRelationId(2)),
      (question: Question, key: string) => join(question, key, 'and'),
      (question: Question, key: string) => join(question, key, 'or'),
      (question: Question, key: string) => join(question, key, 'not'),
      negate,
      remove,
      unwrap,
    ];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 }), (choices) => {
        let question: Question = emptyQuestion;
        for (const [step, part] of choices) {
          const parts = [...everyPart(question)];
          question = steps[step % steps.length]!(question, parts[part % parts.length]!.key);
          const all = [...everyPart(question)];
          expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
          for (const each of all) {
            if ('parts' in each) expect(each.parts.length).toBeGreaterThanOrEqual(2);
            expect(findPart(question, each.key)).toBe(each);
            if (each !== question) expect(parentOf(question, each.key)).toBeDefined();
          }
          const query = toQuery(question);
          if (query !== undefined) expect(toQuery(fromQuery(query))).toEqual(query);
        }
      }),
      { numRuns: 150, seed: 15 },
    );
  });
});

describe('what was edited', () => {
  it('can be undone and done again, until something else is done', () => {
    const first = createHistory('a');
    const third = edit(edit(first, 'b'), 'c');
    expect(undo(undo(third)).present).toBe('a');
    expect(redo(undo(third))).toEqual(third);
    expect(redo(edit(undo(third), 'd')).present).toBe('d');
    expect(undo(first)).toBe(first);
    expect(edit(third, 'c')).toBe(third);
  });

  it('is forgotten after two hundred edits', () => {
    let history = createHistory(0);
    for (let i = 1; i <= 300; i++) history = edit(history, i);
    for (let i = 0; i < 300; i++) history = undo(history);
    expect(history.present).toBe(100);
  });

  it('keeps its keys where it is read anew', async () => {
    const before = await read('and(project(borders, France), Germany)');
    const next = keepKeys(await read('and(project(borders, Q90), not(Germany), ?)'), before);
    const [hop, negation, hole] = next.kind === 'and' ? next.parts : [];
    const [formerHop, formerAnchor] = before.kind === 'and' ? before.parts : [];
    expect([next.key, hop!.key]).toEqual([before.key, formerHop!.key]);
    expect(hop?.kind === 'hop' && hop.of.key).toBe(formerHop?.kind === 'hop' && formerHop.of.key);
    const keys = [...everyPart(next)].map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).not.toContain(formerAnchor!.key);
    expect(negation!.key).not.toBe(hole!.key);
  });
});
