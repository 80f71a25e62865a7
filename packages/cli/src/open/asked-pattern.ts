import { isPatternText, parsePatternText, parseQueryText, patternOf } from '@fuzzqe/core/query';
import { type AskedPattern, patternOfQuestion, type WordsGraph } from '@fuzzqe/engine/words';
import { isInWords } from './is-in-words.ts';

/**
 * The pattern of a question: a pattern itself, a tree as its special case, or words.
 *
 * @throws FuzzError `query`, `vocabulary`: the question.
 */
export function askedPattern(question: string, graph: WordsGraph): AskedPattern {
  const { vocabulary } = graph;
  if (isInWords(question, vocabulary)) return patternOfQuestion(question, graph);
  const pattern = isPatternText(question)
    ? parsePatternText(question, vocabulary)
    : patternOf(parseQueryText(question, vocabulary));
  return { pattern, count: false };
}
