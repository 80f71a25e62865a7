import { parseQueryText } from '@fuzzqe/core/query';
import { expect, it } from 'vitest';
import { openBundle } from '../index.ts';
import { memoryBundle } from '../testing/index.ts';
import { checkTrained } from './check-trained.ts';

const { vocabulary } = await openBundle((await memoryBundle()).source);
const { entityCount: entities, relationCount: relations } = vocabulary;
const check =
  (text: string, relationForm: 'bases' | 'gqe', more: object = {}) =>
  () =>
    checkTrained([parseQueryText(text, vocabulary)], { entities, relations, relationForm, ...more });

it.each([
  ['and(project(r0, e1), not(project(r0, e2)))', {}, '¬'],
  ['and(project(r0, e1), project(r0, e2), project(r0, e3), project(r0, e4))', {}, 'such structure'],
  ['project(r0, e1)', { entities: 1 }, 'new entity'],
  ['project(r0, e1)', { relations: 0 }, 'new relation'],
])('names what of %s a family does not embed', (text, more, part) => {
  expect(check(text, 'gqe', more)).toThrow(
    expect.objectContaining({
      code: 'usage',
      path: '$.mode',
      message: `mode: expected sets, got embedding: gqe embeds no ${part}`,
      hint: expect.stringContaining('Ask in mode sets'),
    }),
  );
});

it('refuses nothing that a family embeds', () => {
  expect(check('or(project(r0, e1), project(r0, e2))', 'gqe')).not.toThrow();
  expect(check('and(project(r0, e1), not(project(r0, e2)))', 'bases')).not.toThrow();
  expect(check('project(r0, e1)', 'bases', { relations: 0 })).toThrow('bases embeds no new relation');
});
