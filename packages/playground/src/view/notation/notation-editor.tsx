import type { JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { keepKeys } from '../../question/keep-keys.ts';
import { emptyQuestion, type Question } from '../../question/question.ts';
import { type AskSettings, usualSettings } from '../../question/settings.ts';
import { readSparql, type SparqlQuestion, writeSparql } from '../../question/sparql.ts';
import { readText, writeText } from '../../question/text.ts';
import { readInWorker } from '../../sparql-worker/read-in-worker.ts';
import type { PageState } from '../page-state.ts';
import { problemOf, type TypedProblem } from './problem.ts';

type Notation = 'text' | 'sparql';

const titles: Readonly<Record<Notation, string>> = { text: 'Text', sparql: 'SPARQL' };
const notations = Object.keys(titles) as Notation[]; // its own keys

/** How long typing pauses before it is read, in milliseconds. */
const pause = 300;

/** The question as text or as SPARQL, which may be typed as well; both follow what is built. */
export function NotationEditor({ state }: { readonly state: PageState }): JSX.Element {
  const id = useId();
  const [notation, setNotation] = useState<Notation>('text');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<TypedProblem>();
  /** What the text stands for, or did before something unfinished was typed; it is written over when something else is asked. */
  const standing = useRef<Standing | undefined>(undefined);
  /** Whether something is typed that is not read yet, or cannot be. */
  const isUnfinished = useRef(false);
  /** Counts what was typed and written: what is read or written later than something newer is no longer wanted. */
  const turn = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** What is typed and not read yet. */
  const unread = useRef<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const question = state.question.value;
  const { k, exclude } = state.settings.value;

  /** Nothing that is under way is wanted any more; returns whether what begins now still is. */
  const begin = (): (() => boolean) => {
    clearTimeout(timer.current);
    unread.current = undefined;
    turn.current += 1;
    const own = turn.current;
    return () => own === turn.current;
  };
  const show = (): void => {
    const isWanted = begin();
    isUnfinished.current = false;
    state.isTextUnread.value = false;
    write(question, notation, state).then(
      (written) => {
        if (!isWanted()) return;
        setText(written);
        setProblem(undefined);
      },
      (error: unknown) => {
        if (!isWanted()) return;
        setText('');
        setProblem(problemOf(error, ''));
      },
    );
  };

  // Before anything can be typed into what has just been shown, which would be written over.
  useLayoutEffect(() => {
    const { current } = standing;
    // Settings are part of SPARQL alone, and no reason to lose what is being typed.
    const saysSettings = notation === 'text' || (current?.k === k && current.exclude === exclude);
    const isSame = current?.question === question && current.notation === notation;
    if (isSame && (saysSettings || isUnfinished.current)) return;
    standing.current = { question, notation, k, exclude };
    show();
  }, [question, notation, k, exclude]);
  useEffect(
    () => () => {
      begin();
      state.isTextUnread.value = false;
    },
    [],
  );

  /** Reads a text; returns whether it is the question now. */
  const readNow = async (value: string): Promise<boolean> => {
    const isWanted = begin();
    unread.current = value;
    try {
      const { question: found, settings } = await parse(value, notation, state);
      if (!isWanted()) return false;
      setProblem(undefined);
      state.isTextUnread.value = false;
      const next = keepKeys(found, state.question.peek());
      standing.current = { question: next, notation, ...usualSettings, ...settings };
      isUnfinished.current = false;
      state.change(next, undefined, settings);
      return true;
    } catch (error) {
      if (!isWanted()) return false;
      setProblem(problemOf(error, value));
      state.isTextUnread.value = true;
      return false;
    } finally {
      if (isWanted()) unread.current = undefined;
    }
  };
  const readSoon = (value: string): void => {
    begin();
    unread.current = value;
    setText(value);
    isUnfinished.current = true;
    timer.current = setTimeout(() => void readNow(value), pause);
  };
  /** Turns to another notation, once what is typed is read; where it cannot be, its problem is shown first. */
  const turnTo = async (next: Notation): Promise<void> => {
    if (unread.current === undefined || (await readNow(unread.current))) setNotation(next);
  };
  const tryAgain = (): void => {
    setProblem(undefined);
    if (isUnfinished.current) void readNow(text);
    else show();
  };
  // What nobody could read may be read by whoever is asked now.
  const { asked, browser } = state;
  useEffect(() => {
    if (problem?.isOfText === false) tryAgain();
  }, [asked.value, browser.value.phase]);
  const rows = Math.min(Math.max(text.split('\n').length, notation === 'text' ? 2 : 4), 16);
  return (
    <section class="card notation" aria-label="The question in writing">
      <header class="card-head">
        <div class="choices" role="tablist" aria-label="Notation">
          {notations.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`${id}-${each}`}
              aria-selected={each === notation}
              aria-controls={`${id}-panel`}
              tabIndex={each === notation ? 0 : -1}
              onClick={() => void turnTo(each)}
              onKeyDown={(event) => {
                if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
                const other = notations.find((one) => one !== each) ?? each;
                void turnTo(other);
                document.getElementById(`${id}-${other}`)?.focus();
              }}
            >
              {titles[each]}
            </button>
          ))}
        </div>
      </header>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${notation}`} class="notation-body">
        <textarea
          ref={field}
          class="field mono"
          aria-label={`The question as ${titles[notation]}`}
          aria-invalid={problem?.isOfText === true}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
          rows={rows}
          spellcheck={false}
          autocapitalize="off"
          value={text}
          placeholder={notation === 'text' ? 'project(relation, "An entity")' : 'SELECT ?answer WHERE { … }'}
          onInput={(event) => readSoon(event.currentTarget.value)}
        />
        {problem === undefined ? null : (
          <p class="problem small" id={`${id}-problem`} role="alert">
            {problem.line === undefined ? '' : `Line ${problem.line}, column ${problem.column}: `}
            {problem.message}
            {problem.hint === undefined ? '' : ` ${problem.hint}`}
          </p>
        )}
        {problem === undefined || problem.isOfText ? null : (
          <button
            type="button"
            class="button again"
            onClick={() => {
              // This button goes away with the problem, and would take the focus along.
              field.current?.focus();
              tryAgain();
            }}
          >
            Try again
          </button>
        )}
      </div>
    </section>
  );
}

/** What a text says. */
interface Standing extends AskSettings {
  readonly question: Question;
  readonly notation: Notation;
}

async function write(
  question: Question,
  notation: Notation,
  { naming, settings }: PageState,
): Promise<string> {
  if (notation === 'text') return question.kind === 'hole' ? '' : writeText(question, naming);
  const { k, exclude } = settings.peek();
  const unusual = { ...(k === usualSettings.k ? {} : { k }), exclude };
  return (await writeSparql(question, naming, unusual)) ?? '';
}

async function parse(text: string, notation: Notation, { naming }: PageState): Promise<SparqlQuestion> {
  if (text.trim() === '') return { question: emptyQuestion, settings: {} };
  return notation === 'text'
    ? { question: await readText(text, naming), settings: {} }
    : readSparql(text, naming, readInWorker);
}
