import { type Steps, schema } from '@fuzzqe/core';
import { formatPattern, type Pattern } from '@fuzzqe/core/query';
import { escapeControlCharacters } from '@fuzzqe/core/text';
import {
  type AnswerState,
  answerStates,
  type Engine,
  fitPatternCost,
  inTurns,
  type PatternCounts,
  type PatternOptions,
  type PatternRow,
  stateWords,
} from '@fuzzqe/engine';
import { entityName } from '../names/name-text.ts';
import { shortDegree } from './given-query.ts';
import type { NamedEntity } from './named-links.ts';
import { nameSupport, type RowSupport, rowSupport, supportLines } from './row-support.ts';
import type { CallLimits } from './tool.ts';

/** An entity of a row. */
interface Cell extends NamedEntity {
  readonly key: string;
}

/** An entity for each column; where it is asked for, what supports them. */
interface Row {
  readonly entities: readonly Cell[];
  readonly state: AnswerState;
  readonly degree: number;
  readonly support?: RowSupport;
}

/** What a pattern is answered with. */
interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly suggestions: readonly Row[];
  readonly exact: boolean;
  readonly counts?: PatternCounts;
}

const degree = schema.number({ min: 0, max: 1 });
const entity = schema.object({
  id: schema.integer({ min: 0 }),
  key: schema.string,
  label: schema.string,
  name: schema.string,
});
const row = schema.object({
  entities: schema.array(entity),
  state: schema.oneOf(answerStates),
  degree,
  support: schema.optional(rowSupport),
});

/** The form of a table. */
export const table: schema.Schema<Table> = schema.object({
  columns: schema.array(schema.string),
  rows: schema.array(row),
  suggestions: schema.array(row),
  exact: schema.boolean,
  counts: schema.optional(
    schema.object({
      recorded: schema.integer({ min: 0 }),
      atLeast: schema.boolean,
      expected: schema.number({ min: 0 }),
    }),
  ),
});

/** How a pattern is asked. */
export type PatternAsked = Pick<PatternOptions, 'k' | 'minDegree' | 'at' | 'exclude' | 'count' | 'explain'>;

/** What a pattern was answered with. */
interface MatchedPattern {
  /** The pattern as text. */
  readonly query: string;
  readonly table: Table;
  readonly warnings: readonly string[];
  readonly text: string;
}

/** How many tuples are looked for where they are counted. */
const counted = 1000;

/**
 * Answers a pattern with a table, a question of yes or no with a sentence.
 *
 * @throws FuzzError `query`, `range`, `cost` or `usage`: the pattern or the options.
 */
export async function matchPattern(
  engine: Engine,
  pattern: Pattern,
  { k = 10, ...asked }: PatternAsked,
  { time, costLimit, onCost }: CallLimits,
): Promise<MatchedPattern> {
  const { vocabulary } = engine;
  // How many are expected is the sum over all tuples that are found, which a text need not list.
  const wanted: PatternOptions = { ...asked, k: asked.count === true ? Math.max(k, counted) : k };
  const { options, cost } = fitPatternCost(engine, pattern, wanted, costLimit, '$.query');
  onCost(cost);
  const { columns, rows, suggestions, exact, counts, warnings } = await engine.match(pattern, {
    ...options,
    ...time,
  });
  const named = (row: PatternRow): Row => ({
    entities: row.entities.map((each) => ({ ...each, name: entityName(each.id, vocabulary) })),
    state: row.state,
    degree: row.degree,
    ...(asked.explain === true ? { support: nameSupport(row, vocabulary) } : {}),
  });
  const listed = rows.slice(0, k);
  const answered: Table = {
    columns,
    rows: listed.map(named),
    suggestions: suggestions.slice(0, k - listed.length).map(named),
    exact,
    ...(counts === undefined ? {} : { counts }),
  };
  const query = formatPattern(pattern, vocabulary);
  const said = [...engine.warnings, ...warnings];
  const text = await inTurns(textOf(query, answered, said), time);
  return { query, table: answered, warnings: said, text };
}

function* textOf(
  query: string,
  { columns, rows, suggestions, counts }: Table,
  warnings: readonly string[],
): Steps<string> {
  const lines = [`Pattern: ${escapeControlCharacters(query)}`];
  if (columns.length === 0) lines.push(verdictText(rows[0], suggestions[0]));
  else {
    if (counts !== undefined) lines.push(countText(counts));
    if (rows.length === 0) lines.push('No answers.');
    for (const [title, listed] of [
      [undefined, rows],
      ['Suggestions, none likely enough to be an answer:', suggestions],
    ] as const) {
      if (listed.length === 0) continue;
      if (title !== undefined) lines.push('', title);
      lines.push(
        '',
        lineOf([...columns.map((name) => `?${name}`), 'state', 'degree']),
        lineOf([...columns.map(() => '---'), '---', '---']),
      );
      for (const { entities, state, degree } of listed) {
        yield;
        lines.push(lineOf([...entities.map(({ name }) => name), stateWords[state], shortDegree(degree)]));
      }
    }
  }
  for (const row of [...rows, ...suggestions]) {
    yield;
    lines.push(...whyLines(row));
  }
  return [...lines, ...warnings.map((warning) => `Note: ${escapeControlCharacters(warning)}`)].join('\n');
}

/** Why a row is an answer, where that was asked for. */
function whyLines({ entities, support }: Row): string[] {
  if (support === undefined) return [];
  const tuple = entities.map(({ name }) => name).join(', ');
  return ['', tuple === '' ? 'Why:' : `Why ${tuple}:`, ...supportLines(support)];
}

/** A line of a table; a bar in a name would end its cell. */
function lineOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The answer to a question of yes or no. */
function verdictText(answer: Row | undefined, suggestion: Row | undefined): string {
  if (answer !== undefined) {
    const degree = shortDegree(answer.degree);
    if (answer.state === 'recorded') return 'Yes: the recorded facts give it.';
    if (answer.state === 'doubted') return `Yes by the recorded facts, but doubted: degree ${degree}.`;
    return `Probably yes: it is not recorded, and ${stateWords[answer.state]} with degree ${degree}.`;
  }
  if (suggestion === undefined) return 'No: it is not recorded, and the model does not expect it.';
  return `Probably not: it is not recorded, and predicted with degree ${shortDegree(suggestion.degree)} only.`;
}

function countText({ recorded, atLeast, expected }: PatternCounts): string {
  const facts = `The recorded facts give ${atLeast ? 'at least ' : ''}${recorded} ${recorded === 1 ? 'answer' : 'answers'}`;
  return `${facts}; about ${shortDegree(expected)} are expected with what the model predicts.`;
}
