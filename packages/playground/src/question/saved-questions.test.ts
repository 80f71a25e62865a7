import { expect, it } from 'vitest';
import { deleteQuestion, isSavedQuestion, renameQuestion, saveQuestion } from './saved-questions.ts';

const [first, second] = ['#v=1&q=a', '#v=1&q=b'].map((hash, i) => ({ name: `${i}`, hash })) as [
  { name: string; hash: string },
  { name: string; hash: string },
];

it('questions are saved, renamed and deleted by their names, of which there is one each', () => {
  const list = saveQuestion(saveQuestion([], first), second);
  expect(list).toEqual([second, first]);
  const third = { name: ' 0 ', hash: '#v=1&q=c' };
  expect(saveQuestion(list, third)[0]).toEqual({ name: '0 (2)', hash: third.hash });
  expect(saveQuestion(saveQuestion(list, third), third)[0]?.name).toBe('0 (3)');
  expect(renameQuestion(list, first, ' one ')).toEqual([second, { ...first, name: 'one' }]);
  expect(renameQuestion(list, first, '1')[1]?.name).toBe('1 (2)');
  expect(renameQuestion(list, first, '0')).toEqual(list);
  expect(renameQuestion(list, first, ' ')).toBe(list);
  expect(deleteQuestion(list, second)).toEqual([first]);
  // Another tab deleted it.
  expect(deleteQuestion([first], second)).toEqual([first]);
  expect(renameQuestion([first], second, 'two')).toEqual([first]);
});

it('what is kept is a saved question only with a name and an address of this page', () => {
  expect(isSavedQuestion(first)).toBe(true);
  for (const value of [
    null,
    'a',
    {},
    { name: 'a' },
    { name: 'a', hash: 'javascript:1' },
    { name: 1, hash: '#' },
  ])
    expect(isSavedQuestion(value)).toBe(false);
});
