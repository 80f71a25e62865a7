import { expect, it } from 'vitest';
import { createKnowledgeGraph, createVocabulary } from './index.ts';

it.each<readonly [name: string, call: (options: never) => unknown]>([
  ['createKnowledgeGraph', createKnowledgeGraph],
  ['createVocabulary', createVocabulary],
])('%s refuses to be called without its options', (name, call) => {
  // Callers without types can call so.
  const refusal = (options: unknown): unknown => {
    try {
      return call(options as never);
    } catch (error) {
      return error;
    }
  };
  const refused = { name: 'FuzzError', code: 'data' };
  expect(refusal(undefined)).toMatchObject({
    ...{ ...refused, path: '$', hint: `${name} needs an object.` },
    message: `options of ${name}: expected an object, got nothing`,
  });
  expect(refusal('x')).toMatchObject({ message: `options of ${name}: expected an object, got "x"` });
  expect(refusal({})).toMatchObject(refused);
});
