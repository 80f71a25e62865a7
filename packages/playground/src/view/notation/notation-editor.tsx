import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { keepKeys } from '../../question/keep-keys.ts';
import { problemOf, type TypedProblem } from '../../question/problem.ts';
import type { Question } from '../../question/question.ts';
import { readSparql, writeSparql } from '../../question/sparql.ts';
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
  const typed = useRef<Question | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const question = state.question.value;

  useEffect(() => {
    if (typed.current === question) return;
    clearTimeout(timer.current);
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
  }, [question, notation]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const read = (value: string): void => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      parse(value, notation, state).then(
        (found) => {
          setProblem(undefined);
          const next = keepKeys(found, state.question.peek());
          typed.current = next;
          state.change(next);
        },
        (error: unknown) => setProblem(problemOf(error, value)),
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

async function write(question: Question, notation: Notation, { naming }: PageState): Promise<string> {
  if (notation === 'text') return question.kind === 'hole' ? '' : writeText(question, naming);
  return (await writeSparql(question, naming)) ?? '';
}

async function parse(text: string, notation: Notation, { naming }: PageState): Promise<Question> {
  if (text.trim() === '') return { kind: 'hole', key: 'q1' };
  return notation === 'text'
    ? readText(text, naming)
    : (await readSparql(text, naming, readInWorker)).question;
}
