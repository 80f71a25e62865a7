import { FuzzError } from '@fuzzqe/core';
import { formatPattern } from '@fuzzqe/core/query';
import type { PatternAnswer } from '@fuzzqe/engine';
import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Agreement, type ComparedAnswers, compareAnswers } from '../ask/compare-answers.ts';
import { createHistory, edit, type History, redo, undo } from '../question/history.ts';
import type { FoundNames } from '../question/names.ts';
import type { Naming } from '../question/naming.ts';
import { type AskSettings, usualLeast } from '../question/settings.ts';
import { type AnswerSource, faultOf, SourceError, type TimedAnswer } from '../sources/answer-source.ts';
import { type Drawing, linkOf, nodeOf, startDrawing } from './drawing.ts';
import { removeItem } from './drawing-edits.ts';
import { toPattern } from './drawing-pattern.ts';
import { namesInTable } from './names-in-table.ts';
import { readPatternText, writePatternText } from './pattern-text.ts';

/** How long typing pauses before it is read, in milliseconds. */
const pause = 300;

/** What a view of patterns is made of. */
export interface PatternStart {
  readonly naming: Naming;
  /** Who is asked, one after the other. */
  readonly sources: ReadonlySignal<readonly AnswerSource[]>;
  /** Whether the view is shown: nothing is asked before. */
  readonly isShown: ReadonlySignal<boolean>;
  /** What a link says; it may be wrong. */
  readonly text: string | undefined;
  readonly settings: AskSettings;
  /** Told of names that answers bring along; what it throws ends the asking. */
  readonly onNames: (names: FoundNames) => void;
}

/** What one source said to the pattern. */
export interface PatternFinding extends TimedAnswer<PatternAnswer> {
  readonly kind: AnswerSource['kind'];
}

/** A drawing, its text and its answers, and what may be done to them. */
export interface PatternState {
  readonly drawing: ReadonlySignal<Drawing>;
  /** The id of the selected node or link. */
  readonly selected: Signal<number | undefined>;
  /** The node from which a link is to lead, whose other node is chosen next. */
  readonly linkFrom: Signal<number | undefined>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  /** What the text field shows. */
  readonly text: ReadonlySignal<string>;
  /** What stands for the drawing: what was written of it or read as it. */
  readonly written: ReadonlySignal<string>;
  /** Why the text cannot be read. */
  readonly textFault: ReadonlySignal<unknown>;
  readonly isTextUnread: ReadonlySignal<boolean>;
  readonly k: Signal<number>;
  readonly minDegree: Signal<number>;
  readonly onlyNew: Signal<boolean>;
  readonly counts: Signal<boolean>;
  readonly settings: ReadonlySignal<AskSettings>;
  /** Whether a link has no relation yet. */
  readonly isOpen: ReadonlySignal<boolean>;
  /** Whether there is something to ask. */
  readonly isAskable: ReadonlySignal<boolean>;
  readonly isAsking: ReadonlySignal<boolean>;
  /** One of each source that was asked. */
  readonly findings: ReadonlySignal<readonly PatternFinding[]>;
  /** Where two sources were asked. */
  readonly agreement: ReadonlySignal<Agreement | undefined>;
  /** Why there is no answer: what a source says, or what the pattern lacks. */
  readonly fault: ReadonlySignal<SourceError | undefined>;
  /** Replaces the drawing, and selects a part of it. */
  change(drawing: Drawing, select?: number): void;
  removeSelected(): void;
  undo(): void;
  redo(): void;
  /** Takes a text as it is typed, and reads it once typing pauses. */
  type(text: string): void;
  /** Reads the text now; the drawing follows once it can be read. */
  read(): Promise<void>;
  askAgain(): void;
  close(): void;
}

/** The state of a view of patterns. */
export function createPatternState({
  naming,
  sources,
  isShown,
  text: first,
  settings: given,
  onNames,
}: PatternStart): PatternState {
  const history = signal(createHistory(startDrawing));
  const drawing = computed(() => history.value.present);
  const selected = signal<number | undefined>(undefined);
  const linkFrom = signal<number | undefined>(undefined);
  const text = signal(first ?? '');
  const written = signal(first ?? '');
  const textFault = signal<unknown>(undefined);
  const isTextUnread = signal(first !== undefined);
  const k = signal(given.k);
  const minDegree = signal(given.minDegree ?? usualLeast);
  const onlyNew = signal(given.exclude === 'known');
  const counts = signal(false);
  const settings = computed<AskSettings>(() => ({
    k: k.value,
    exclude: onlyNew.value ? 'known' : 'none',
    ...(minDegree.value === usualLeast ? {} : { minDegree: minDegree.value }),
  }));
  const isAsking = signal(false);
  const findings = signal<readonly PatternFinding[]>([]);
  const fault = signal<SourceError | undefined>(undefined);
  const attempt = signal(0);

  const show = (next: History<Drawing>, select = selected.peek()): void =>
    batch(() => {
      history.value = next;
      linkFrom.value = undefined;
      const { present } = next;
      selected.value = (nodeOf(present, select) ?? linkOf(present, select))?.id;
    });

  /** Counts texts: what is read or written later than something newer is not wanted. */
  let turn = 0;
  /** The drawing that the text stands for. */
  let standing = startDrawing;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = (): (() => boolean) => {
    clearTimeout(timer);
    turn += 1;
    const own = turn;
    return () => own === turn;
  };
  const read = async (): Promise<void> => {
    const isWanted = begin();
    const typed = text.peek();
    try {
      const found = await readPatternText(typed, drawing.peek(), naming);
      if (!isWanted()) return;
      standing = found;
      batch(() => {
        textFault.value = undefined;
        isTextUnread.value = false;
        written.value = typed;
        show(edit(history.peek(), found));
      });
    } catch (error) {
      if (isWanted()) textFault.value = error;
    }
  };
  const stopText = effect(() => {
    const current = drawing.value;
    if (current === standing) return;
    standing = current;
    const isWanted = begin();
    writePatternText(current, naming).then(
      (wrote) => {
        if (!isWanted()) return;
        batch(() => {
          text.value = wrote;
          written.value = wrote;
          textFault.value = undefined;
          isTextUnread.value = false;
        });
      },
      (error: unknown) => {
        if (isWanted()) textFault.value = error;
      },
    );
  });
  if (first !== undefined) void read();

  // As text: a node that is moved asks nothing anew.
  const asked = computed(() => JSON.stringify(toPattern(drawing.value)));
  const isOpen = computed(() => drawing.value.links.some(({ relation }) => relation === undefined));
  const isAskable = computed(() => asked.value !== undefined && !isOpen.value);
  const stopAsking = effect(() => {
    attempt.value;
    const controller = new AbortController();
    const { signal: until } = controller;
    const from = sources.value;
    const how = { ...settings.value, count: counts.value };
    asked.value;
    const pattern = isShown.value && isAskable.value ? toPattern(drawing.peek()) : undefined;
    const isPossible = pattern !== undefined && from.length > 0;
    batch(() => {
      fault.value = undefined;
      isAsking.value = isPossible;
      if (pattern === undefined) findings.value = [];
    });
    if (!isPossible) return;
    const ask = async (): Promise<void> => {
      // By names, which every source of the graph has; a pattern that lacks something is refused here.
      const asks = await naming.run((vocabulary) => formatPattern(pattern, vocabulary));
      const found: PatternFinding[] = [];
      for (const source of from) {
        const timed = await source.match(asks, { ...how, signal: until });
        until.throwIfAborted();
        if (found.length === 0) onNames(namesInTable(timed.answer));
        found.push({ kind: source.kind, ...timed });
      }
      findings.value = found;
    };
    ask()
      .catch((error: unknown) => {
        if (until.aborted) return;
        batch(() => {
          findings.value = [];
          fault.value =
            error instanceof FuzzError
              ? new SourceError('refused', error.message, { hint: error.hint })
              : faultOf(error);
        });
      })
      .finally(() => {
        if (!until.aborted) isAsking.value = false;
      });
    return () => controller.abort();
  });

  return {
    drawing,
    selected,
    linkFrom,
    canUndo: computed(() => history.value.past.length > 0),
    canRedo: computed(() => history.value.future.length > 0),
    text,
    written,
    textFault,
    isTextUnread,
    k,
    minDegree,
    onlyNew,
    counts,
    settings,
    isOpen,
    isAskable,
    isAsking,
    findings,
    agreement: computed(() => {
      const [one, two] = findings.value;
      return one && two && compareAnswers(comparable(one.answer), comparable(two.answer));
    }),
    fault,
    change: (next, select) => show(edit(history.peek(), next), select),
    removeSelected() {
      const id = selected.peek();
      if (id !== undefined) show(edit(history.peek(), removeItem(drawing.peek(), id)));
    },
    undo: () => show(undo(history.peek())),
    redo: () => show(redo(history.peek())),
    type(typed) {
      begin();
      text.value = typed;
      isTextUnread.value = true;
      timer = setTimeout(() => void read(), pause);
    },
    read,
    askAgain() {
      attempt.value += 1;
    },
    close() {
      begin();
      stopText();
      stopAsking();
    },
  };
}

/** A table as a list of answers, each with an id of its own. */
function comparable({ rows, suggestions }: PatternAnswer): ComparedAnswers {
  const list = (of: PatternAnswer['rows']) =>
    of.map(({ entities, degree }) => ({ id: entities.map(({ id }) => id).join(' '), degree }));
  return { answers: list(rows), suggestions: list(suggestions) };
}
