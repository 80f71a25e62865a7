import { describeValue, FuzzError, type Vocabulary } from '@fuzzqe/core';
import {
  type Condition,
  type ConditionJson,
  readPattern,
  type Term,
  type TermJson,
} from '@fuzzqe/core/query';
import { forEachLine } from '../files/lines.ts';
import { expectNotEasy, located, readAnswers, readObject } from '../queries/query-line.ts';
import type { AnsweredPattern } from './answered-pattern.ts';

/**
 * Writes patterns as JSON Lines, a line a pattern: `{"type":"2m","pattern":{"select":["?x"],"where":[…]},"easy":[…],"hard":[…]}`.
 *
 * Entities and relations are numbers, as in files of queries.
 */
export function* patternsToJsonLines(patterns: readonly AnsweredPattern[]): Generator<string> {
  for (const { type, pattern, easy, hard } of patterns) {
    const variable = (at: number): string => `?${pattern.variables[at]}`;
    const term = (of: Term): TermJson => ('variable' in of ? variable(of.variable) : of.entity);
    const condition = (of: Condition): ConditionJson => {
      if (of.op === 'not') return { not: condition(of.operand) };
      if (of.op === 'link' && of.repeat === undefined)
        return { link: of.relation, from: term(of.from), to: term(of.to) };
      throw new FuzzError(
        'usage',
        `patterns of a file: expected links of one step and their negations, got ${of.op}`,
      );
    };
    const { where } = pattern;
    const conditions = where.op === 'and' ? where.operands : [where];
    const written = { select: pattern.answers.map(variable), where: conditions.map(condition) };
    yield `${JSON.stringify({ type, pattern: written, easy: [...easy], hard: [...hard] })}\n`;
  }
}

/** Whether a line is that of a pattern, rather than of a query. */
export function isPatternLine(text: string): boolean {
  return /"pattern"\s*:/.test(text);
}

/**
 * Reads patterns from JSON Lines, as `patternsToJsonLines` writes them; `.gz` is unzipped.
 *
 * The type is any name, and the pattern any pattern of one answer variable: notation, or JSON with keys, labels or numbers.
 *
 * @throws FuzzError `data` with `path:line`: no JSON, no pattern of one answer, an id out of range, an answer twice, an answer both easy
 * and hard, or no hard answer. `data`: a file without patterns. As `forEachLine`.
 * @example
 * const patterns = await readPatterns('test.patterns.jsonl', dataset.vocabulary);
 */
export async function readPatterns(path: string, vocabulary: Vocabulary): Promise<AnsweredPattern[]> {
  const patterns: AnsweredPattern[] = [];
  await forEachLine(path, (text, number) => {
    if (text !== '') patterns.push(readLine(text, `${path}:${number}`, vocabulary));
  });
  if (patterns.length > 0) return patterns;
  throw bad('patterns: expected at least one, got none', path, lineForm);
}

function readLine(text: string, path: string, vocabulary: Vocabulary): AnsweredPattern {
  const fields = readObject(text, path);
  const { type } = fields;
  if (typeof type !== 'string' || type === '')
    throw bad(`type: expected a name, got ${describeValue(type)}`, path, lineForm);
  const pattern = located('pattern', path, () => readPattern(fields['pattern'], vocabulary));
  if (pattern.answers.length !== 1)
    throw bad(
      `pattern: expected one answer variable, got ${pattern.answers.length}`,
      path,
      'Answers of several variables are not ranked.',
    );
  const [easy, hard] = (['easy', 'hard'] as const).map((name) =>
    readAnswers(name, fields[name], path, vocabulary),
  );
  if (hard!.length === 0)
    throw bad(
      'hard: expected at least one answer, got none',
      path,
      'Such a pattern tells nothing: leave it out.',
    );
  expectNotEasy(easy!, hard!, path);
  return { type, pattern, easy: easy!, hard: hard! };
}

const lineForm =
  'A line is {"type": …, "pattern": {"select": ["?x"], "where": […]}, "easy": […], "hard": […]}.';

function bad(message: string, path: string, hint: string): FuzzError {
  return new FuzzError('data', message, { path, hint });
}
