import { formatPattern } from '@fuzzqe/core/query';
import { type AskedPattern, patternOfQuestion, type WordsGraph } from '@fuzzqe/engine/words';
import { isInWords } from '../open/is-in-words.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * The pattern of a question in words, which is shown; undefined for a text in the notation.
 *
 * @throws FuzzError `query`: no template fits the question, with questions that may be asked.
 */
export function readInWords(terminal: Terminal, text: string, graph: WordsGraph): AskedPattern | undefined {
  if (!isInWords(text, graph.vocabulary)) return undefined;
  const asked = patternOfQuestion(text, graph);
  terminal.note(`Pattern: ${formatPattern(asked.pattern, graph.vocabulary)}`);
  return asked;
}
