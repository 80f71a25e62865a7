import { FuzzError, messageOf } from '@fuzzqe/core';

/** What is wrong with something that was typed, and where. */
export interface TypedProblem {
  readonly message: string;
  /** How to mend it. */
  readonly hint?: string;
  /** Where, counted from 1, in characters; absent where it is about the whole. */
  readonly line?: number;
  readonly column?: number;
  /** Where, in code units of the text, as selections of a text field count. */
  readonly offset?: number;
}

/** What an error says of a text; its hint without the lines that show the place, which whoever shows the text does itself. */
export function problemOf(error: unknown, text: string): TypedProblem {
  if (!(error instanceof FuzzError)) return { message: messageOf(error) };
  const hint = error.hint?.replace(/\n {2}[^\n]*\n *\^$/, '');
  const told = { message: error.message, ...(hint === undefined ? {} : { hint }) };
  const place = /line (\d+), column (\d+)$/.exec(error.path ?? '');
  if (place === null) return told;
  const [line, column] = [Number(place[1]), Number(place[2])];
  return { ...told, line, column, offset: offsetOf(text, line, column) };
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let i = 1; i < line; i++) start = text.indexOf('\n', start) + 1;
  return start + [...text.slice(start)].slice(0, column - 1).join('').length;
}
