export { askableQuestions } from './askable-questions.ts';
export {
  type AskedPattern,
  longestQuestion,
  patternOfQuestion,
  type WordsGraph,
} from './question-pattern.ts';
export { translateQuestion } from './translate-question.ts';
export type { Translator, TranslatorMessage } from './translator.ts';
