import type { PartExplanation } from '@fuzzqe/engine';
import type { FoundNames } from '../question/names.ts';
import type { Question } from '../question/question.ts';
import type { AskSettings } from '../question/settings.ts';
import { toQuery } from '../question/to-query.ts';
import type { AnswerSource } from '../sources/answer-source.ts';
import { compareAnswers } from './compare-answers.ts';
import { completeParts, keysByPath } from './complete-parts.ts';
import type { Findings, SourceAnswer } from './findings.ts';
import { namesInAnswer } from './names-in-answer.ts';

/** The best entities of a part of the question. */
export type PartMembers = PartExplanation['best'];

/** What became of a question. */
export interface QuestionFindings extends Findings {
  /** Of every part that could be asked, by its key. */
  readonly members: ReadonlyMap<string, PartMembers>;
}

/** Nothing was asked. */
export const noFindings: QuestionFindings = { members: new Map(), answers: [], agreement: undefined };

/** What is asked. */
export interface AskOptions extends AskSettings {
  readonly signal: AbortSignal;
  /** Told of findings as they come; the last is what the promise resolves to. */
  readonly onFindings: (findings: QuestionFindings) => void;
  /** Told of names that answers bring along; what it throws ends the asking. */
  readonly onNames: (names: FoundNames) => void;
}

/**
 * Asks all sources the question, or the parts of it that are complete.
 *
 * @throws SourceError of the first source that fails.
 */
export async function askQuestion(
  question: Question,
  sources: readonly AnswerSource[],
  { signal, onFindings, onNames, ...how }: AskOptions,
): Promise<QuestionFindings> {
  const members = new Map<string, PartMembers>();
  const answers: SourceAnswer[] = [];
  let findings = noFindings;
  const tell = (): void => {
    const [first, second] = answers;
    const agreement = first && second && compareAnswers(first.answer, second.answer);
    findings = { members: new Map(members), answers: [...answers], agreement };
    onFindings(findings);
  };
  const parts = completeParts(question).filter((part) => part.kind !== 'anchor' || part === question);
  const ask = async (part: Question, source: AnswerSource, isFirst: boolean): Promise<void> => {
    const query = toQuery(part);
    if (query === undefined) return;
    const { answer, ms } = await source.ask(query, { ...how, signal });
    signal.throwIfAborted();
    if (isFirst) {
      onNames(namesInAnswer(answer));
      const keys = keysByPath(part);
      for (const { path, best } of answer.parts ?? []) members.set(keys.get(path) ?? '', best);
    }
    if (part === question) answers.push({ kind: source.kind, answer, ms });
    tell();
  };
  for (const part of parts) {
    // One source after the other: on one machine they would wait for each other's cores.
    for (const [i, source] of sources.entries()) await ask(part, source, i === 0);
  }
  return findings;
}
