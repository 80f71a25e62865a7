import { expect, it } from 'vitest';
import { type FamilyName, familyNames, traitsOf } from '../config/family-traits.ts';
import { addFamily, familyOf, type OtherFamily } from './families.ts';

const like = (relationForm: FamilyName, name: string): OtherFamily => ({
  ...familyOf({ relationForm }),
  name: name as 'x-', // as: a caller in JavaScript may give any name.
});

it.each(familyNames)('%s has distances if its traits say so', (relationForm) => {
  const { name, distances } = familyOf({ relationForm });
  expect(name).toBe(relationForm);
  expect(distances !== undefined).toBe(traitsOf({ relationForm }).distances !== undefined);
});

it('a family is refused by a name of ours, by another without x-, and with traits that do not fit', () => {
  const before = [...familyNames];
  for (const [family, traits, message] of [
    [like('blocks', 'gqe'), {}, 'a new name that begins with x-, got gqe'],
    [like('blocks', 'mine'), {}, 'a new name that begins with x-, got mine'],
    [like('gqe', 'x-mine'), {}, 'traits of x-mine: expected distances'],
    [like('blocks', 'x-mine'), { distances: 'trees' }, 'got trees'],
  ] as const)
    expect(() => addFamily(family, traits)).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
    );
  expect(familyNames).toEqual(before);
  expect(() => familyOf({ relationForm: 'x-mine' })).toThrow(/expected a family, got x-mine/);
});
