import type { PatternAnswer } from '@fuzzqe/engine';
import { stateMeanings } from '../ask/state-words.ts';

/** Whether a table leaves something out, as a sentence. */
export function exactSentence({ exact, unseen }: PatternAnswer, isFull: boolean): string {
  if (!exact)
    return `The search ended at its budget: an answer of degree ${unseen.toFixed(3)} or less may be missing.`;
  return isFull ? 'These are the best answers; there may be more.' : 'The search was complete.';
}

/** What was counted, as a sentence. */
export function countSentence({ counts }: PatternAnswer): string | undefined {
  if (counts === undefined) return undefined;
  const { recorded, atLeast, expected } = counts;
  const isOne = recorded === 1 && !atLeast;
  return `The facts record ${atLeast ? 'at least ' : ''}${recorded} ${isOne ? 'answer' : 'answers'}. Of the listed answers, ${expected.toFixed(1)} are expected to be right.`;
}

/** The answer to a question of yes or no, as a sentence. */
export function yesOrNo({ rows, suggestions }: PatternAnswer): string {
  const [row] = rows;
  if (row !== undefined) {
    const isSure = row.state === 'recorded';
    return `${isSure ? 'Yes' : 'Probably'}: ${stateMeanings[row.state]}${isSure ? '' : `, with degree ${row.degree.toFixed(3)}`}.`;
  }
  const [suggestion] = suggestions;
  return suggestion === undefined
    ? 'No: nothing is recorded, and the model suggests nothing.'
    : `Probably not: the model gives it a degree of ${suggestion.degree.toFixed(3)}.`;
}
