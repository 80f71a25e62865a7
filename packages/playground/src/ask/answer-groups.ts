import type { AnswerState } from '@fuzzqe/engine';

/** Answers that recorded facts give, and answers that the model predicts at least in part; each keeps its order. */
export function answerGroups<A extends { readonly state: AnswerState }>(
  answers: readonly A[],
): readonly [recorded: readonly A[], predicted: readonly A[]] {
  const isRecorded = ({ state }: A): boolean => state === 'recorded' || state === 'doubted';
  return [answers.filter(isRecorded), answers.filter((answer) => !isRecorded(answer))];
}
