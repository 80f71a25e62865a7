import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import { isPatternText } from '@fuzzqe/core/query';

/**
 * Whether a question is in words: three words or an owner's name, without the marks of the notation.
 *
 * A name with spaces is a name without its quotes.
 */
export function isInWords(text: string, vocabulary: Vocabulary): boolean {
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
