import type { SetsAnswer } from '@fuzzqe/engine';
import { expect, it } from 'vitest';
import { writeAnswers } from './write-answers.ts';

const found = {
  answers: [{ id: 1, key: 'Q1', label: 'a "b", c', degree: 1, state: 'recorded' }],
  suggestions: [{ id: 2, key: '=1+1', label: 'Peru', degree: 0.25, state: 'predicted' }],
} as unknown as SetsAnswer;

it('answers and suggestions are written as CSV, as JSON and as text', () => {
  expect(writeAnswers(found, 'csv')).toBe(
    'kind,key,label,degree,state\r\nanswer,Q1,"a ""b"", c",1,recorded\r\nsuggestion,\'=1+1,Peru,0.25,predicted\r\n',
  );
  expect(JSON.parse(writeAnswers(found, 'json'))[1]).toEqual({
    kind: 'suggestion',
    key: '=1+1',
    label: 'Peru',
    degree: 0.25,
    state: 'predicted',
  });
  expect(writeAnswers(found, 'txt')).toBe('1.000 a "b", c (answer)\n0.250 Peru (suggestion)\n');
});
