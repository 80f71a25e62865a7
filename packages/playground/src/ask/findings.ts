import type { SetsAnswer } from '@fuzzqe/engine';
import { batch, effect, type ReadonlySignal, signal } from '@preact/signals';
import { type AnswerSource, faultOf, type SourceError, type TimedAnswer } from '../sources/answer-source.ts';
import type { AskControls } from './ask-controls.ts';
import type { Agreement } from './compare-answers.ts';

/** What one source said. */
export interface SourceAnswer<Answer = SetsAnswer> extends TimedAnswer<Answer> {
  readonly kind: AnswerSource['kind'];
}

/** What became of something that was asked. */
export interface Findings<Answer = SetsAnswer> {
  /** One of each source that was asked; none while something is open. */
  readonly answers: readonly SourceAnswer<Answer>[];
  /** Where two sources were asked. */
  readonly agreement: Agreement | undefined;
}

/** Something that is asked, and what is shown of it. */
export interface Asked<Found extends Findings<unknown>> extends AskControls {
  readonly isAsking: ReadonlySignal<boolean>;
  readonly findings: ReadonlySignal<Found>;
  /** Why there is no answer: what a source says, or what is wrong with what is asked. */
  readonly fault: ReadonlySignal<SourceError | undefined>;
  /** Whether something is typed that is not read, so that what is shown is no answer to it. */
  readonly isTextUnread: ReadonlySignal<boolean>;
}

/** Asks until a signal ends it, and tells what it has found so far. */
export type Asking<Found> = (until: AbortSignal, tell: (found: Found) => void) => Promise<Found>;

/**
 * Asks anew whenever something changes that `begin` reads, and gives up the question before.
 *
 * `begin` returns what asks; nothing where there is nothing to ask.
 */
export function createAsking<Found>(
  none: Found,
  begin: () => Asking<Found> | undefined,
): {
  readonly isAsking: ReadonlySignal<boolean>;
  readonly findings: ReadonlySignal<Found>;
  readonly fault: ReadonlySignal<SourceError | undefined>;
  askAgain(): void;
  close(): void;
} {
  const isAsking = signal(false);
  const findings = signal(none);
  const fault = signal<SourceError | undefined>(undefined);
  const attempt = signal(0);
  const close = effect(() => {
    attempt.value;
    const ask = begin();
    const controller = new AbortController();
    const { signal: until } = controller;
    const end = (found: Found, error?: unknown): void => {
      if (until.aborted) return;
      batch(() => {
        findings.value = found;
        if (error !== undefined) fault.value = faultOf(error);
        isAsking.value = false;
      });
    };
    batch(() => {
      fault.value = undefined;
      isAsking.value = ask !== undefined;
      if (ask === undefined) findings.value = none;
    });
    ask?.(until, (found) => {
      if (!until.aborted) findings.value = found;
    }).then(end, (error: unknown) => end(none, error));
    return () => controller.abort();
  });
  return {
    isAsking,
    findings,
    fault,
    askAgain() {
      attempt.value += 1;
    },
    close,
  };
}
