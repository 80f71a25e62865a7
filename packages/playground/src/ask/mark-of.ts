import type { SetsAnswerEntity } from '@fuzzqe/engine';

/** How an answer is known. */
export type Mark = 'recorded' | 'recovered' | 'new';

/** All marks, the most certain first. */
export const marks: readonly Mark[] = ['recorded', 'recovered', 'new'];

/** What each mark means, in the order of certainty. */
export const markMeanings: Readonly<Record<Mark, string>> = {
  recorded: 'follows from recorded facts alone',
  recovered: 'recorded facts lead there, but for links that the model predicts',
  new: 'every link that it needs is predicted',
};

/** How an answer is known, by the links that support it. */
export function markOf({ known, links = [] }: Pick<SetsAnswerEntity, 'known' | 'links'>): Mark {
  if (known) return 'recorded';
  return links.some(({ recorded }) => recorded) ? 'recovered' : 'new';
}
