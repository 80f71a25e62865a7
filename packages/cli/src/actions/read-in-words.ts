import { FuzzError } from '@fuzzqe/core';
import { formatPattern, isPatternText } from '@fuzzqe/core/query';
import { type AskedPattern, patternOfQuestion, type WordsGraph } from '@fuzzqe/engine/words';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * The pattern of a question in words, which is shown; undefined for a text in the notation.
 *
 * @throws FuzzError `query`: no template fits the question, with questions that may be asked.
 */
export function readInWords(terminal: Terminal, text: string, graph: WordsGraph): AskedPattern | undefined {
  if (!isInWords(text, graph)) return undefined;
  const asked = patternOfQuestion(text, graph);
  terminal.note(`Pattern: ${formatPattern(asked.pattern, graph.vocabulary)}`);
  return asked;
}

/** Three words or an owner's name, without the marks of the notation; a name with spaces is a name without its quotes. */
function isInWords(text: string, { vocabulary }: WordsGraph): boolean {
  if (isPatternText(text)) return false;
  const words = text.trim().split(/\s+/);
  if (/[(){}#<>=]|\?\p{L}/u.test(text) || (words.length < 3 && !/['’]s\s/.test(text))) return false;
  try {
    vocabulary.withoutNearNames.findEntity(text.trim());
    return false;
  } catch (error) {
    if (error instanceof FuzzError) return true;
    throw error;
  }
}
