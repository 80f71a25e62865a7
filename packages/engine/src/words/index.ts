export { askableQuestions } from './askable-questions.ts';
export {
  type AskedPattern,
  longestQuestion,
  patternOfQuestion,
  type WordsGraph,
} from './question-pattern.ts';
export type { Translator, TranslatorMessage } from './translator.ts';
export { type QuestionListing, type WordsPartOptions, wordsPart } from './words-part.ts';
