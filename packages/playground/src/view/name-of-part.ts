import type { Question } from '../question/question.ts';
import { questionSentence } from '../question/question-sentence.ts';
import type { PageState } from './page-state.ts';

/** What a part is, in words. */
export function nameOfPart(
  part: Question,
  { labelOf, dataLabel }: Pick<PageState, 'labelOf' | 'dataLabel'>,
): string {
  const sentence = questionSentence(part, { labelOf, dataLabel });
  return sentence === '…' ? 'An open place' : sentence;
}
