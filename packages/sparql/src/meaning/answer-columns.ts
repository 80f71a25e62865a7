import type { TermVariable } from '@traqula/rules-sparql-1-1';
import { placeOf } from '../syntax/parsed-text.ts';
import type { Reading } from './reading.ts';

/** The variables that answers bring: how likely an answer is, whether it is recorded, and its label. Patterns say nothing of them. */
export const answerColumns: readonly ['degree', 'known', 'label'] = ['degree', 'known', 'label'];

/** A variable that answers bring. */
export type AnswerColumn = (typeof answerColumns)[number];

/** Whether a variable is one that answers bring. */
export function isAnswerColumn(name: string): name is AnswerColumn {
  return answerColumns.some((column) => column === name);
}

/**
 * The name of a variable of the graph.
 *
 * @throws FuzzError `query`: one that the answers bring.
 */
export function readVariable(term: TermVariable, { fail }: Reading): string {
  if (!isAnswerColumn(term.value)) return term.value;
  const hint = `Give the variable another name: the answers bring ?${term.value}.`;
  throw fail(placeOf(term), `?${term.value}: expected a variable of the graph, got one of the answers`, hint);
}
