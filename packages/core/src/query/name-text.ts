/** How many letters `bareCharacters` takes at most. */
export const bareCharactersAtOnce = 4096;

/** The letters a name may be written with outside quotes: as many as there are from `lastIndex` on, at most so many. */
export const bareCharacters: RegExp = /[\p{L}\p{M}\p{N}_./:+-]{0,4096}/uy;

const otherCharacter = /[^\p{L}\p{M}\p{N}_./:+-]/u;

/** Whether a name may stand without quotes. */
export function isBareName(name: string): boolean {
  return name !== '' && !otherCharacter.test(name) && !isOperator(name);
}

/** The operators of the notation. */
export const operators = ['project', 'and', 'or', 'not'] as const;

/** The name of an operator. */
export type Operator = (typeof operators)[number];

/** Whether a text names an operator. */
export function isOperator(text: string): text is Operator {
  return operators.some((operator) => operator === text);
}

/** A name as the notation writes it: bare if it can be, else between double quotes. */
export function writeName(name: string): string {
  return isBareName(name) ? name : quoteName(name);
}

/** A text between double quotes, as the notation reads it. */
export function quoteName(name: string): string {
  // JSON's escapes are among those of the notation, lone surrogates included; DEL and the like would not be seen.
  // An escaped backslash is taken whole: what follows it is no escape.
  const quoted = JSON.stringify(name).replace(/\\[\\bfr]/g, (short) => longEscapes[short] ?? short);
  return quoted.replace(/[\u007f-\u009f\u2028\u2029]/g, unicodeEscape);
}

const longEscapes: Readonly<Record<string, string>> = {
  '\\b': '\\u0008',
  '\\f': '\\u000c',
  '\\r': '\\u000d',
};

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
