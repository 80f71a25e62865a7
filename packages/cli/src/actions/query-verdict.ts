import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import { formatQuery, type Query } from '@fuzzqe/core/query';
import { type Engine, type SetsAnswerEntity, stateWords } from '@fuzzqe/engine';
import { formatColumns } from '../terminal/columns.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatDegree, formatSupport, operandTexts, parseWithHint, toldApart } from './query-text.ts';

/** Whether an entity answers a query: `not known` where neither facts nor predictions decide. */
export type Verdict = 'yes' | 'no' | 'not known';

/** How `fuzzqe query … --is` was told to judge. */
export interface VerdictFlags {
  readonly minDegree?: number;
  /** A date. */
  readonly at?: string;
  readonly json?: boolean;
}

/** Entities below this degree do not answer. */
const leastPossible = 0.01;

/** Does `fuzzqe query … --is`: says whether one entity answers a query, with what speaks for it. */
export async function judgeEntity(
  terminal: Terminal,
  engine: Engine,
  { query, bundle, name }: { readonly query: Query; readonly bundle: string; readonly name: string },
  { minDegree = 0.5, at, json = false }: VerdictFlags,
): Promise<Verdict> {
  const { vocabulary } = engine;
  const id = readEntity(name, vocabulary, bundle);
  // Whatever its degree is, the entity is listed if it has one.
  const date = at === undefined ? {} : { at };
  const options = { k: 1, minDegree: 0, explain: true, filter: { ids: [id] }, ...date };
  const answer = toldApart(await engine.answer(query, options), vocabulary);
  const [found] = answer.answers;
  const verdict = verdictOf(found, minDegree);
  const entity = vocabulary.entity(id);
  if (json) {
    const { key, label } = entity;
    const said = found ?? { id, key, label, state: 'predicted', degree: 0, links: [] };
    terminal.out(JSON.stringify({ query: formatQuery(query, vocabulary), ...date, verdict, ...said }));
    return verdict;
  }
  for (const warning of [...engine.warnings, ...answer.warnings.filter(isOfDate)])
    terminal.note(`Note: ${warning}`);
  const words =
    found === undefined ? 'degree 0' : `${stateWords[found.state]}, ${formatDegree(found.degree)}`;
  terminal.out(`${verdict}: ${found?.label ?? entity.label}, ${words}`);
  if (found === undefined) return verdict;
  const rows = operandTexts(query, vocabulary).map((text, i) => {
    const { degree, known } = found.operands![i]!;
    return [`[${i + 1}]`, text, `${formatDegree(degree)}${known ? '*' : ''}`];
  });
  if (rows.length > 0)
    formatColumns([{}, { cut: true }, {}], [...rows, ['*', 'recorded', '']], terminal.columns).forEach(
      terminal.out,
    );
  formatSupport([found], terminal.columns).forEach(terminal.out);
  return verdict;
}

/** What an answer alone says in addition speaks of a list. */
function isOfDate(warning: string): boolean {
  return warning.startsWith('no-validity');
}

/** Recorded facts that the model doubts decide nothing below the least degree. */
function verdictOf(found: SetsAnswerEntity | undefined, minDegree: number): Verdict {
  if (found === undefined) return 'no';
  const { state, degree } = found;
  if (state === 'recorded' || degree >= Math.fround(minDegree)) return 'yes';
  return state === 'doubted' || degree >= Math.fround(leastPossible) ? 'not known' : 'no';
}

/** The id of an entity by its label or key, or as queries name it. */
function readEntity(name: string, vocabulary: Vocabulary, bundle: string): number {
  const isWritten = /^(#\d+|".*"|<.*>)$/.test(name.trim());
  const parsed = parseWithHint(isWritten ? name : JSON.stringify(name), vocabulary, bundle);
  if (parsed.op === 'entity') return parsed.entity;
  throw new FuzzError('usage', `--is: expected an entity, got ${JSON.stringify(name)}`, {
    hint: 'Give the label or the key of one.',
  });
}
