import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import { formatPattern, isPatternText, type Pattern, parsePatternText, patternOf } from '@fuzzqe/core/query';
import {
  type Engine,
  type PatternAnswer,
  type PatternOptions,
  type PatternRow,
  setWords,
  stateWords,
} from '@fuzzqe/engine';
import { formatColumns } from '../terminal/columns.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatDegree, formatSupport, parseWithHint, withNameHint } from './query-text.ts';
import type { Verdict } from './query-verdict.ts';

/** How a pattern is answered and shown. */
export interface MatchFlags
  extends Pick<
    PatternOptions,
    'at' | 'k' | 'minDegree' | 'suggestions' | 'exclude' | 'explain' | 'count' | 'links' | 'width'
  > {
  /** A table of comma-separated values instead of columns. */
  readonly csv?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Reads a question that is asked as a pattern: a pattern, or a tree whose table is wanted. */
export function readQuestion(text: string, vocabulary: Vocabulary, bundle: string): Pattern {
  if (!isPatternText(text)) return patternOf(parseWithHint(text, vocabulary, bundle));
  return withNameHint(bundle, () => parsePatternText(text, vocabulary));
}

/** Answers a pattern on the terminal; of a question of yes or no it says which. */
export async function matchText(
  terminal: Terminal,
  engine: Engine,
  pattern: Pattern,
  { csv = false, json = false, ...options }: MatchFlags,
): Promise<Verdict> {
  const answer = await engine.match(pattern, options);
  const { rows, suggestions } = answer;
  const isClosed = pattern.answers.length === 0;
  const perhaps = suggestions.length > 0 || !answer.exact;
  const verdict = !isClosed || rows.length > 0 ? 'yes' : perhaps ? 'not known' : 'no';
  if (json) {
    const written = formatPattern(pattern, engine.vocabulary);
    terminal.out(JSON.stringify({ pattern: written, ...(isClosed ? { verdict } : {}), ...answer }));
    return verdict;
  }
  if (csv) {
    csvLines(answer).forEach(terminal.out);
    return verdict;
  }
  for (const warning of [...engine.warnings, ...answer.warnings]) terminal.note(`Note: ${warning}`);
  const [first] = [...rows, ...suggestions];
  if (isClosed) terminal.out(`${verdict}: ${first === undefined ? 'degree 0' : standing(first)}`);
  else tableLines(answer, options.minDegree ?? 0.5, terminal.columns).forEach(terminal.out);
  if (options.explain === true)
    [
      ...formatSupport([...rows, ...suggestions].map(supportOf), terminal.columns),
      ...setLines(answer),
    ].forEach(terminal.out);
  if (answer.counts !== undefined) {
    const { recorded, atLeast, expected } = answer.counts;
    terminal.out('');
    terminal.out(`Recorded answers: ${atLeast ? `at least ${recorded}` : recorded}`);
    terminal.out(
      `Expected to be right among the ${rows.length + suggestions.length} listed: ${expected.toFixed(1)}`,
    );
  }
  return verdict;
}

function standing({ state, degree }: PatternRow): string {
  return `${stateWords[state]}, ${formatDegree(degree)}`;
}

/** A table with a column for each answer variable, and below it the suggestions. */
function tableLines(
  { columns, rows, suggestions }: PatternAnswer,
  minDegree: number,
  width: number,
): string[] {
  if (rows.length + suggestions.length === 0) return ['No answers.'];
  const cells = [...rows, ...suggestions].map((row, i) => [
    `${i + 1}`,
    ...row.entities.map(({ label }) => label),
    formatDegree(row.degree),
    stateWords[row.state],
  ]);
  const table = formatColumns(
    [{ right: true }, ...columns.map((name) => ({ title: `?${name}`, cut: true })), { title: 'degree' }, {}],
    cells,
    width,
  );
  const below = table.length - suggestions.length;
  return [
    ...table.slice(0, below),
    ...(rows.length === 0 ? ['No answers.'] : []),
    ...(suggestions.length === 0 ? [] : ['', `Suggestions, below ${minDegree}:`, ...table.slice(below)]),
  ];
}

function labelOf({ entities }: PatternRow): string {
  return entities.map(({ label }) => label).join(', ');
}

function supportOf(row: PatternRow): Parameters<typeof formatSupport>[0][number] {
  return { label: labelOf(row), links: (row.because ?? []).flatMap(({ links }) => links) };
}

/** Why conditions on values and on likeness hold, a line each. */
function setLines({ rows, suggestions }: PatternAnswer): string[] {
  return [...rows, ...suggestions].flatMap((row) =>
    (row.sets ?? []).map((set) => `${labelOf(row)}: ${setWords(set)}`),
  );
}

/** The answers as CSV: label and key of each variable, degree and state. */
function csvLines({ columns, rows, suggestions }: PatternAnswer): string[] {
  const titles = [...columns.flatMap((name) => [name, `${name} key`]), 'degree', 'state'];
  const lines = [...rows, ...suggestions].map((row) => [
    ...row.entities.flatMap(({ label, key }) => [label, key]),
    `${row.degree}`,
    row.state,
  ]);
  return [titles, ...lines].map((cells) => cells.map(csvCell).join(','));
}

/** A cell by RFC 4180. */
function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Refuses flags that patterns do not have. */
export function refuseOfPatterns(flags: Readonly<Record<string, boolean>>): void {
  const given = Object.keys(flags).find((flag) => flags[flag] === true);
  if (given === undefined) return;
  throw new FuzzError(
    'usage',
    `${given}: expected a query of one variable as a tree, got a pattern or a table`,
    {
      hint: 'Write the condition into the pattern: "?x = Spain", or "?x in project(borders, France)".',
    },
  );
}
