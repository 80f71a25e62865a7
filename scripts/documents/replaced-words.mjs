// Words that other words say more plainly. A word that misleads fails; others are told.
import { sentencesOf } from './sentences.mjs';

/** Words that readers understand differently, with what to write: a use fails. */
export const misleading = {
  mended: 'fixed',
  'by sets': 'in mode `sets`',
  'by the embedding': 'in mode `embedding`',
  'in place of': 'instead of',
  whoever: 'the client, user or caller',
  'what is none': 'an invalid X',
  'are none': 'are invalid, or: there are no X',
  'that is none': 'that is not one',
  'hardly any': 'almost no',
};

/** Words that are often unclear: a use is told. */
export const unclear = {
  beside: 'compared with, next to, with',
  likewise: 'say it again',
  alike: 'equally',
  nobody: 'say who does what',
  door: 'entry point',
  'of these': 'repeat the noun',
  'those that': 'repeat the noun',
  'gone on with': 'continued',
};

/** The uses of words in the prose of a document: `{ line, word, instead }`. */
export function usesOf(text, words) {
  const patterns = Object.entries(words).map(([word, instead]) => ({
    word,
    instead,
    pattern: new RegExp(`\\b${word.replaceAll(' ', '\\s+')}\\b`, 'i'),
  }));
  return sentencesOf(text).flatMap(({ line, sentence }) => {
    const prose = sentence.replaceAll(/`[^`]*`/g, 'X');
    return patterns
      .filter(({ pattern }) => pattern.test(prose))
      .map(({ word, instead }) => ({ line, word, instead }));
  });
}
