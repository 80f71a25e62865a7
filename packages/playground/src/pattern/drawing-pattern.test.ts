import { asEntityId, asRelationId } from '@fuzzqe/core';
import { formatPattern } from '@fuzzqe/core/query';
import { expect, it } from 'vitest';
import { createNaming } from '../question/naming.ts';
import { countryNames, countryVocabulary } from '../testing/country-names.ts';
import { type Drawing, freePlace, lastId, linkOf, nodeOf, startDrawing } from './drawing.ts';
import {
  addEntity,
  addLink,
  addVariable,
  moveNode,
  negateLink,
  removeItem,
  setDifferent,
  setRelation,
  toggleAnswer,
  turnLink,
} from './drawing-edits.ts';
import { toPattern } from './drawing-pattern.ts';
import { readPatternText, writePatternText } from './pattern-text.ts';

const naming = createNaming(countryNames());
const [borders, currency] = [asRelationId(0), asRelationId(2)];
/** A link with a relation, added. */
const linked = (drawing: Drawing, from: number, to: number, relation = borders): Drawing => {
  const next = addLink(drawing, from, to);
  return setRelation(next, lastId(next), relation);
};
const textOf = (drawing: Drawing): string => formatPattern(toPattern(drawing)!, countryVocabulary);

it('draws a cycle whose nodes are the columns of the answers', () => {
  const three = addVariable(startDrawing);
  const z = lastId(three);
  const cycle = linked(linked(linked(three, 1, 2), 2, z), z, 1);
  expect(textOf(cycle)).toBe('?x, ?y, ?z : borders(?x, ?y), borders(?y, ?z), borders(?z, ?x)');
  expect(textOf(toggleAnswer(cycle, 2))).toBe('?x, ?z : borders(?x, ?y), borders(?y, ?z), borders(?z, ?x)');
  // Marked again, a variable is the last column.
  expect(textOf(toggleAnswer(toggleAnswer(cycle, 1), 1))).toMatch(/^\?y, \?z, \?x :/);
});

it('turns, negates and equates links, and says entities by their names', () => {
  const two = addEntity(linked(startDrawing, 1, 2), asEntityId(0));
  const france = lastId(two);
  expect(addEntity(two, asEntityId(0))).toBe(two);
  const more = linked(two, 2, france, currency);
  expect(textOf(negateLink(turnLink(more, lastId(more)), lastId(more)))).toBe(
    '?x, ?y : borders(?x, ?y), not "uses currency"(France, ?y)',
  );
  const differ = addLink(two, 1, 2);
  expect(textOf(setDifferent(differ, lastId(differ)))).toBe('?x, ?y : borders(?x, ?y), ?x != ?y');
  // An inverse is the relation the other way.
  expect(textOf(linked(startDrawing, 1, 2, asRelationId(1)))).toBe('?x, ?y : borders(?y, ?x)');
});

it('is no pattern before a link has a relation, and leaves out what no link mentions', () => {
  expect(toPattern(startDrawing)).toBeUndefined();
  expect(toPattern(addLink(startDrawing, 1, 2))).toBeUndefined();
  expect(textOf(linked(addVariable(startDrawing), 1, 2))).toBe('?x, ?y : borders(?x, ?y)');
});

it('removes a node with all conditions on it, and a link alone', async () => {
  const text = '?x, ?y : borders(?x, ?y), borders(?y, France), or(borders(?x, ?y), "uses currency"(?x, ?y))';
  const drawing = await readPatternText(text, startDrawing, naming);
  expect(drawing.others).toHaveLength(1);
  const without = removeItem(drawing, 2);
  expect([without.links, without.others, without.answers]).toEqual([[], [], [1]]);
  const link = drawing.links[1]!;
  expect(await writePatternText(removeItem(drawing, link.id), naming)).toBe(
    text.replace(' borders(?y, France),', ''),
  );
});

it.each([
  '?x : borders(?x, ?y), not "uses currency"(?x, ?z)',
  '?x, ?y : borders(?x, ?y), borders(?y, ?x), ?x != ?y',
  '?x : borders(?x, ?x)',
  'borders(France, Germany)',
  '?x : borders(?x, ?y), not (borders(?y, ?x), borders(?x, France))',
  '?x : borders(?x, ?y), ?x in project(borders, France)',
  `?b : "uses currency"(?a, "Côte d'Ivoire"), borders(?a, ?b)`,
])('%s is a drawing, and is written again', async (text) => {
  const drawing = await readPatternText(text, startDrawing, naming);
  expect(await writePatternText(drawing, naming)).toBe(text);
  // Ids and places stay where a text is read over its own drawing.
  expect(await readPatternText(text, drawing, naming)).toEqual(drawing);
});

it('keeps what a changed text has still, where it was', async () => {
  const drawing = moveNode(linked(startDrawing, 1, 2), 2, { x: 0.9, y: 2 });
  const next = await readPatternText('?y, ?q : borders(?x, ?y), borders(?y, ?q)', drawing, naming);
  expect(nodeOf(next, 2)).toEqual({ id: 2, x: 0.9, y: 1, is: { variable: 'y' } });
  expect(linkOf(next, drawing.links[0]!.id)).toEqual(drawing.links[0]);
  expect(new Set([...next.nodes, ...next.links].map(({ id }) => id)).size).toBe(5);
});

it('writes what cannot be asked, which the grammar refuses when it is read', async () => {
  const lonely = negateLink(linked(startDrawing, 1, 2), 3);
  const text = await writePatternText(lonely, naming);
  expect(text).toBe('?x, ?y : not borders(?x, ?y)');
  await expect(readPatternText(text, startDrawing, naming)).rejects.toThrow(/only under "not"/);
});

it('finds places apart from each other', () => {
  const placed: { x: number; y: number }[] = [];
  for (let i = 0; i < 8; i += 1) placed.push(freePlace(placed));
  const distances = placed.flatMap((a, i) => placed.slice(0, i).map((b) => Math.hypot(a.x - b.x, a.y - b.y)));
  expect(Math.min(...distances)).toBeGreaterThan(0.15);
});
