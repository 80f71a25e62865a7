import { FuzzError } from '@fuzzqe/core';
import { faultOf } from '../../sources/answer-source.ts';

/** What is wrong with something that was typed, and where. */
export interface TypedProblem {
  /** A sentence. */
  readonly message: string;
  /** Whether the text is to be mended: where whoever knows the names does not answer, it may be right, and can be read later. */
  readonly isOfText: boolean;
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
  const fault = error instanceof FuzzError ? error : faultOf(error);
  const hint = fault.hint?.replace(/\n {2}[^\n]*\n *\^$/, '');
  const told = {
    message: /[.!?…]$/.test(fault.message) ? fault.message : `${fault.message}.`,
    isOfText: fault instanceof FuzzError ? fault.code !== 'runtime' : fault.fault === 'refused',
    ...(hint === undefined ? {} : { hint }),
  };
  const path = fault instanceof FuzzError ? fault.path : undefined;
  const place = /line (\d+), column (\d+)$/.exec(path ?? '');
  if (place === null) return told;
  const [line, column] = [Number(place[1]), Number(place[2])];
  return { ...told, line, column, offset: offsetOf(text, line, column) };
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let i = 1; i < line; i++) start = text.indexOf('\n', start) + 1;
  return start + [...text.slice(start)].slice(0, column - 1).join('').length;
}
