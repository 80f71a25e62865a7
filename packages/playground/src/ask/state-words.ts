import type { AnswerState } from '@fuzzqe/engine';

/** All states of an answer, the surest first. */
export const states: readonly AnswerState[] = ['recorded', 'doubted', 'partly', 'predicted'];

/** What each state is called. */
export const stateWords: Readonly<Record<AnswerState, string>> = {
  recorded: 'recorded',
  doubted: 'recorded, but doubted',
  partly: 'partly predicted',
  predicted: 'predicted',
};

/** What each state means. */
export const stateMeanings: Readonly<Record<AnswerState, string>> = {
  recorded: 'the recorded facts give it',
  doubted: 'the question excludes a link that is not recorded, but that the model expects',
  partly: 'recorded facts give a part of the question, the model predicts the rest',
  predicted: 'the model predicts it',
};
