import { formatPattern, type Pattern } from '@fuzzqe/core/query';
import type { PatternAnswer } from '@fuzzqe/engine';
import { type ComparedAnswers, compareAnswers } from '../ask/compare-answers.ts';
import type { Findings, SourceAnswer } from '../ask/findings.ts';
import { namesInTable } from '../ask/names-in-answer.ts';
import type { FoundNames } from '../question/names.ts';
import type { Naming } from '../question/naming.ts';
import type { AskSettings } from '../question/settings.ts';
import type { AnswerSource } from '../sources/answer-source.ts';

/** How a pattern is asked. */
export interface AskPatternOptions extends AskSettings {
  readonly naming: Naming;
  readonly count: boolean;
  readonly signal: AbortSignal;
  /** Told of names that answers bring along; what it throws ends the asking. */
  readonly onNames: (names: FoundNames) => void;
}

/**
 * Asks all sources a pattern, one after the other.
 *
 * @throws FuzzError `query`: the pattern lacks something, and no source is asked. SourceError of the first source that fails.
 */
export async function askPattern(
  pattern: Pattern,
  sources: readonly AnswerSource[],
  { naming, onNames, ...how }: AskPatternOptions,
): Promise<Findings<PatternAnswer>> {
  // By names, which every source of the graph has.
  const text = await naming.run((vocabulary) => formatPattern(pattern, vocabulary));
  const answers: SourceAnswer<PatternAnswer>[] = [];
  for (const source of sources) {
    const timed = await source.match(text, how);
    how.signal.throwIfAborted();
    if (answers.length === 0) onNames(namesInTable(timed.answer));
    answers.push({ kind: source.kind, ...timed });
  }
  const [first, second] = answers.map(({ answer }) => comparable(answer));
  return { answers, agreement: first && second && compareAnswers(first, second) };
}

/** A table as a list of answers, each with an id of its own. */
function comparable({ rows, suggestions }: PatternAnswer): ComparedAnswers {
  const list = (of: PatternAnswer['rows']) =>
    of.map(({ entities, degree }) => ({ id: entities.map(({ id }) => id).join(' '), degree }));
  return { answers: list(rows), suggestions: list(suggestions) };
}
