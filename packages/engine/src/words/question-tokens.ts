/** A word of a question; quoted names are one word. */
export interface QuestionToken {
  /** In lower case, contractions written out. */
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** What is said before "not" where it is contracted. */
const contracted = /^(do|does|is|are|have|has)n['’]t$/i;

/** The words of a question, without punctuation; `'s` is a word by itself, and "don't" is two. */
export function questionTokens(text: string): readonly QuestionToken[] {
  const tokens: QuestionToken[] = [];
  for (const match of text.matchAll(/"[^"]*"|[\p{L}\p{M}\p{N}][^\s,;:?!"]*|['’]s\b/gu)) {
    const start = match.index;
    const whole = match[0].replace(/[.)]+$/u, '') || match[0];
    const end = start + whole.length;
    const push = (word: string, from = start, to = end): void => {
      tokens.push({ word: word.toLowerCase(), start: from, end: to });
    };
    const auxiliary = contracted.exec(whole)?.[1];
    if (auxiliary !== undefined) {
      push(auxiliary);
      push('not');
      continue;
    }
    const owner = /^(.+)['’]s$/u.exec(whole)?.[1];
    if (owner === undefined || whole.startsWith('"')) push(whole);
    else {
      push(owner, start, start + owner.length);
      push("'s", start + owner.length);
    }
  }
  return tokens;
}
