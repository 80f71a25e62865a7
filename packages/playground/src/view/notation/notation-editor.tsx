import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { keepKeys } from '../../question/keep-keys.ts';
import { problemOf, type TypedProblem } from '../../question/problem.ts';
import { emptyQuestion, type Question } from '../../question/question.ts';
import { type AskSettings, usualSettings } from '../../question/settings.ts';
import { readSparql, type SparqlQuestion, writeSparql } from '../../question/sparql.ts';
import { readText, writeText } from '../../question/text.ts';
import { readInWorker } from '../../sparql-worker/read-in-worker.ts';
import type { PageState } from '../page-state.ts';

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
  /** What was typed and became this question; it is not written over. */
  const typed = useRef<Typed | undefined>(undefined);
  /** Counts what was typed: what is read later than something newer is no longer wanted. */
  const turn = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const question = state.question.value;
  const { k, exclude } = state.settings.value;

  useEffect(() => {
    const { current } = typed;
    // Settings are part of SPARQL alone.
    const isSame = notation === 'text' || (current?.k === k && current.exclude === exclude);
    if (current?.question === question && isSame) return;
    clearTimeout(timer.current);
    turn.current += 1;
    let isCurrent = true;
    write(question, notation, state).then(
      (written) => {
        if (!isCurrent) return;
        setText(written);
        setProblem(undefined);
      },
      (error: unknown) => {
        if (!isCurrent) return;
        setText('');
        setProblem(problemOf(error, ''));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [question, notation, k, exclude]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const read = (value: string): void => {
    setText(value);
    clearTimeout(timer.current);
    turn.current += 1;
    const own = turn.current;
    timer.current = setTimeout(() => {
      parse(value, notation, state).then(
        ({ question: found, settings }) => {
          if (own !== turn.current) return;
          setProblem(undefined);
          const next = keepKeys(found, state.question.peek());
          typed.current = { question: next, ...usualSettings, ...settings };
          state.change(next, undefined, settings);
        },
        (error: unknown) => {
          if (own === turn.current) setProblem(problemOf(error, value));
        },
      );
    }, pause);
  };
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
              onClick={() => {
                typed.current = undefined;
                setNotation(each);
              }}
              onKeyDown={(event) => {
                if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
                typed.current = undefined;
                const other = notations.find((one) => one !== each) ?? each;
                setNotation(other);
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
          class="field mono"
          aria-label={`The question as ${titles[notation]}`}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
          rows={rows}
          spellcheck={false}
          autocapitalize="off"
          value={text}
          placeholder={notation === 'text' ? 'project(relation, "An entity")' : 'SELECT ?answer WHERE { … }'}
          onInput={(event) => read(event.currentTarget.value)}
        />
        {problem === undefined ? null : (
          <p class="problem small" id={`${id}-problem`} role="alert">
            {problem.line === undefined ? '' : `Line ${problem.line}, column ${problem.column}: `}
            {problem.message}.{problem.hint === undefined ? '' : ` ${problem.hint}`}
          </p>
        )}
      </div>
    </section>
  );
}

/** What was typed last, as it was read. */
interface Typed extends AskSettings {
  readonly question: Question;
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
