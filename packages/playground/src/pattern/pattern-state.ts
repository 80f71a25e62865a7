import type { PatternAnswer } from '@fuzzqe/engine';
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createAskControls } from '../ask/ask-controls.ts';
import { type Asked, createAsking, type Findings } from '../ask/findings.ts';
import { createHistory, edit, type History, redo, undo } from '../question/history.ts';
import type { FoundNames } from '../question/names.ts';
import type { Naming } from '../question/naming.ts';
import type { AskSettings } from '../question/settings.ts';
import { createTypedText, type TypedText } from '../question/typed-text.ts';
import type { AnswerSource, WordsPattern } from '../sources/answer-source.ts';
import { askPattern } from './ask-pattern.ts';
import { type Drawing, linkOf, nodeOf, startDrawing } from './drawing.ts';
import { removeItem } from './drawing-edits.ts';
import { toPattern } from './drawing-pattern.ts';
import { readPatternText, writePatternText } from './pattern-text.ts';

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

/** A drawing, its text and its answers, and what may be done to them. */
export interface PatternState extends Asked<Findings<PatternAnswer>> {
  readonly drawing: ReadonlySignal<Drawing>;
  /** The id of the selected node or link. */
  readonly selected: Signal<number | undefined>;
  /** The node from which a link is to lead, whose other node is chosen next. */
  readonly linkFrom: Signal<number | undefined>;
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  /** The pattern as text. */
  readonly typed: TypedText;
  readonly counts: Signal<boolean>;
  /** Whether a link has no relation yet. */
  readonly isOpen: ReadonlySignal<boolean>;
  /** Whether there is something to ask. */
  readonly isAskable: ReadonlySignal<boolean>;
  /** Whether the pattern was written for a question in words, and is asked on request only. */
  readonly isHeld: ReadonlySignal<boolean>;
  /** Replaces the drawing, and selects a part of it. */
  change(drawing: Drawing, select?: number): void;
  removeSelected(): void;
  undo(): void;
  redo(): void;
  /** Shows a pattern in the text notation, and asks it. */
  begin(text: string): void;
  /** Shows the pattern of a question in words without asking it; edits of it are not asked either. */
  hold(pattern: WordsPattern): void;
  /** Asks a pattern that is held. */
  release(): void;
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
  const counts = signal(false);
  const controls = createAskControls(given);
  /** Drawings that are not to be asked: undoing leads back to one that is. */
  const held = signal<ReadonlySet<Drawing>>(new Set());
  const isHeld = computed(() => held.value.has(drawing.value));
  /** What becomes the drawing next, and is held. */
  let comes: WordsPattern | undefined;

  const show = (next: History<Drawing>, select = selected.peek()): void =>
    batch(() => {
      history.value = next;
      linkFrom.value = undefined;
      const { present } = next;
      selected.value = (nodeOf(present, select) ?? linkOf(present, select))?.id;
    });
  const change = (next: Drawing, select?: number): void =>
    batch(() => {
      if (next === startDrawing) held.value = new Set();
      else if (isHeld.peek() || comes !== undefined) held.value = new Set([...held.peek(), next]);
      if (comes !== undefined) counts.value = comes.count;
      comes = undefined;
      show(edit(history.peek(), next), select);
    });
  const typed = createTypedText<Drawing>({
    value: drawing,
    write: (current) => writePatternText(current, naming),
    async read(text, before) {
      const found = await readPatternText(text, before, naming);
      return () => change(found);
    },
    first,
  });

  // As text: a node that is moved asks nothing anew.
  const asked = computed(() => JSON.stringify(toPattern(drawing.value)));
  const isOpen = computed(() => drawing.value.links.some(({ relation }) => relation === undefined));
  const isAskable = computed(() => asked.value !== undefined && !isOpen.value);
  const asking = createAsking<Findings<PatternAnswer>>({ answers: [], agreement: undefined }, () => {
    const from = sources.value;
    const how = { ...controls.settings.value, count: counts.value, naming, onNames };
    asked.value;
    const isWanted = isShown.value && isAskable.value && !isHeld.value && from.length > 0;
    const pattern = isWanted ? toPattern(drawing.peek()) : undefined;
    return pattern && ((until) => askPattern(pattern, from, { ...how, signal: until }));
  });

  return {
    ...controls,
    ...asking,
    drawing,
    selected,
    linkFrom,
    canUndo: computed(() => history.value.past.length > 0),
    canRedo: computed(() => history.value.future.length > 0),
    typed,
    isTextUnread: typed.isUnread,
    counts,
    isOpen,
    isAskable,
    isHeld,
    change,
    removeSelected() {
      const id = selected.peek();
      if (id !== undefined) change(removeItem(drawing.peek(), id));
    },
    undo: () => show(undo(history.peek())),
    redo: () => show(redo(history.peek())),
    begin(text) {
      held.value = new Set();
      comes = undefined;
      void typed.take(text);
    },
    hold(written) {
      comes = written;
      void typed.take(written.text);
    },
    release() {
      held.value = new Set();
    },
    close() {
      typed.close();
      asking.close();
    },
  };
}
