export { type QuestionListing, type WordsPartOptions, wordsPart } from './words-part.ts';
