import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import {
  type Condition,
  formatPattern,
  type Pattern,
  parsePatternText,
  variablesOf,
  withTerms,
} from '@fuzzqe/core/query';
import type { Naming } from '../question/naming.ts';
import { withoutHoles } from '../question/text.ts';
import { type Drawing, startDrawing } from './drawing.ts';
import { fromPattern, toPattern } from './drawing-pattern.ts';

/**
 * Reads a pattern in the notation as a drawing; what another drawing has stays where it is.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`, with line and column.
 */
export async function readPatternText(text: string, before: Drawing, naming: Naming): Promise<Drawing> {
  if (text.trim() === '') return startDrawing;
  const pattern = await naming.run((vocabulary) => parsePatternText(text, withoutHoles(vocabulary)));
  return fromPattern(pattern, before);
}

/** Writes a drawing in the notation, also one that cannot be asked; `''` where no link has a relation. */
export async function writePatternText(drawing: Drawing, naming: Naming): Promise<string> {
  const pattern = toPattern(drawing);
  if (pattern === undefined) return '';
  return naming.run((vocabulary) => {
    try {
      return formatPattern(pattern, vocabulary);
    } catch (error) {
      if (!(error instanceof FuzzError) || error.code !== 'query') throw error;
      return writeUnchecked(pattern, vocabulary);
    }
  });
}

/** Each condition by itself is a pattern that can be written, whatever the others lack. */
function writeUnchecked({ variables, answers, where }: Pattern, vocabulary: Vocabulary): string {
  const write = (condition: Condition): string => {
    const own = [...variablesOf(condition)];
    const alone = withTerms(condition, (term) =>
      'entity' in term ? term : { variable: own.indexOf(term.variable) },
    );
    const names = own.map((variable) => variables[variable]!);
    return formatPattern({ variables: names, answers: [], where: alone }, vocabulary);
  };
  const body = (where.op === 'and' ? where.operands : [where]).map(write).join(', ');
  const head = answers.map((variable) => `?${variables[variable]}`).join(', ');
  return head === '' ? body : `${head} : ${body}`;
}
