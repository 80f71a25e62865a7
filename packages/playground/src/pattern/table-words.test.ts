import type { PatternAnswer } from '@fuzzqe/engine';
import { expect, it } from 'vitest';
import { countSentence, exactSentence, yesOrNo } from './table-words.ts';

const answer = (more: Partial<PatternAnswer> = {}): PatternAnswer => ({
  columns: [],
  rows: [],
  suggestions: [],
  exact: true,
  unseen: 0,
  warnings: [],
  plan: { kind: 'search', variables: [], links: 0 },
  ...more,
});
const row = (state: 'recorded' | 'predicted', degree: number) => ({
  entities: [],
  state,
  degree,
  others: {},
});

it('says whether the search left something out', () => {
  expect(exactSentence(answer(), false)).toBe('The search was complete.');
  expect(exactSentence(answer(), true)).toMatch(/there may be more/);
  expect(exactSentence(answer({ exact: false, unseen: 0.25 }), true)).toMatch(
    /degree 0\.250 or less may be missing/,
  );
});

it('says what was counted', () => {
  expect(countSentence(answer())).toBeUndefined();
  const counts = { recorded: 1, atLeast: false, expected: 1.25 };
  expect(countSentence(answer({ counts }))).toMatch(/^The facts record 1 answer\. .* 1\.3 are expected/);
  expect(countSentence(answer({ counts: { ...counts, atLeast: true } }))).toMatch(
    /record at least 1 answers\./,
  );
});

it.each([
  [{ rows: [row('recorded', 1)] }, /^Yes: the recorded facts give it\.$/],
  [{ rows: [row('predicted', 0.75)] }, /^Probably: the model predicts it, with degree 0\.750\.$/],
  [{ suggestions: [row('predicted', 0.1)] }, /^Probably not: .*0\.100\.$/],
  [{}, /^No: /],
])('says yes or no: %j', (more, sentence) => {
  expect(yesOrNo(answer(more))).toMatch(sentence);
});
