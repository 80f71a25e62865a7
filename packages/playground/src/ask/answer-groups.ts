import type { AnswerState } from '@fuzzqe/engine';

/** Answers of one kind, best first. */
export interface AnswerGroup<A> {
  readonly title: 'Recorded' | 'Predicted' | 'Suggestions';
  /** What they are, in a few words. */
  readonly note: string;
  readonly answers: readonly A[];
}

/** Answers that recorded facts give, answers that the model predicts at least in part, and suggestions; groups that are not empty. */
export function answerGroups<A extends { readonly state: AnswerState }>(
  answers: readonly A[],
  suggestions: readonly A[],
): readonly AnswerGroup<A>[] {
  const isRecorded = ({ state }: A): boolean => state === 'recorded' || state === 'doubted';
  const groups: readonly AnswerGroup<A>[] = [
    {
      title: 'Recorded',
      note: 'the facts of the graph give them',
      answers: answers.filter(isRecorded),
    },
    {
      title: 'Predicted',
      note: 'the model expects them, at least in part',
      answers: answers.filter((answer) => !isRecorded(answer)),
    },
    {
      title: 'Suggestions',
      note: 'below the degree of an answer: check them',
      answers: suggestions,
    },
  ];
  return groups.filter((group) => group.answers.length > 0);
}
