import { FuzzError } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import { SourceError } from '../../sources/answer-source.ts';
import { problemOf } from './typed-problem.ts';

it.each([
  [
    'a text',
    new FuzzError('query', 'query: expected ), got the end'),
    'query: expected ), got the end.',
    true,
  ],
  ['names', new SourceError('refused', 'Too long a name.'), 'Too long a name.', true],
  [
    'a server',
    new SourceError('unreachable', 'The server does not answer.'),
    'The server does not answer.',
    false,
  ],
  ['a parser', new FuzzError('runtime', 'SPARQL: not loaded'), 'SPARQL: not loaded.', false],
  ['a program', new TypeError('x is not a function'), 'x is not a function.', false],
])(
  'what is wrong with %s is one sentence, and says whether to mend the text',
  (_, error, message, isOfText) => {
    expect(problemOf(error, 'and(')).toEqual({ message, isOfText });
  },
);

it('what is wrong with a server says how to go on', () => {
  const error = new SourceError('busy', 'Too many ask.', { hint: 'Wait a moment.' });
  expect(problemOf(error, '')).toMatchObject({ hint: 'Wait a moment.', isOfText: false });
});
