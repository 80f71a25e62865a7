import { expect, it } from 'vitest';
import { averages } from './index.ts';

it('each mean is over the structures that the papers take it over', () => {
  const found = Object.values(averages).map(({ title, structures }) => [title, structures.join(' ')]);
  expect(Object.fromEntries(found)).toEqual({
    'without negation': '1p 2p 3p 2i 3i pi ip 2u up',
    'with negation': '2in 3in inp pin pni',
    projection: '1p 2p 3p',
    intersection: '2i 3i pi ip',
    union: '2u up',
  });
});
