import type { QuestionListing } from '@fuzzqe/api/words';
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem } from '../notation/problem.tsx';
import { problemOf, type TypedProblem } from '../notation/typed-problem.ts';
import type { PageState } from '../page-state.ts';

/** The longest question that is read, in characters. */
const longest = 500;

/** What became of the question that was typed last. */
type Outcome =
  | { readonly phase: 'none' | 'reading' }
  | { readonly phase: 'written'; readonly by: 'templates' | 'translator' }
  | { readonly phase: 'refused'; readonly problem: TypedProblem };

const writers = { templates: 'A template wrote', translator: 'The translator wrote' };

/** A question in words becomes a pattern, which is shown and asked on request only. */
export function WordsCard({ state }: { readonly state: PageState }): JSX.Element | null {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState<Outcome>({ phase: 'none' });
  const [listing, setListing] = useState<QuestionListing>();
  const [isKnown, setKnown] = useState(false);
  const reading = useRef<AbortController | undefined>(undefined);
  const source = state.source.value;
  useEffect(() => {
    const controller = new AbortController();
    const end = (found?: QuestionListing): void => {
      if (controller.signal.aborted) return;
      setListing(found);
      setKnown(true);
    };
    // Without examples a question can be asked all the same, which says what is wrong.
    source?.questions(controller.signal).then(end, () => setKnown(false));
    return () => controller.abort();
  }, [source]);
  useEffect(() => () => reading.current?.abort(), []);

  const translate = async (question: string): Promise<void> => {
    reading.current?.abort();
    const controller = new AbortController();
    reading.current = controller;
    setText(question);
    setOutcome({ phase: 'reading' });
    try {
      const pattern = await state.nameSource().translate(question, controller.signal);
      if (controller.signal.aborted) return;
      state.pattern.hold(pattern);
      setOutcome({ phase: 'written', by: pattern.by });
    } catch (error) {
      if (!controller.signal.aborted) setOutcome({ phase: 'refused', problem: problemOf(error, question) });
    }
  };
  const questions = listing?.questions ?? [];
  return (
    <section class="card notation words" aria-labelledby={`${id}-title`}>
      <header class="card-head">
        <h2 id={`${id}-title`}>Ask in words</h2>
      </header>
      {isKnown && listing === undefined ? (
        <p class="notation-body soft small">
          The server of this page reads no questions in words. Draw the pattern or type it.
        </p>
      ) : (
        <div class="notation-body">
          <form
            class="key-row"
            onSubmit={(event) => {
              event.preventDefault();
              void translate(text);
            }}
          >
            <input
              ref={field}
              class="field"
              type="text"
              aria-label="A question in English"
              aria-invalid={outcome.phase === 'refused' && outcome.problem.isOfText}
              aria-describedby={outcome.phase === 'refused' ? `${id}-problem` : undefined}
              required
              maxLength={longest}
              autocomplete="off"
              placeholder={questions[0] ?? 'what borders France'}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <button type="submit" class="button primary" aria-disabled={outcome.phase === 'reading'}>
              Write the pattern
            </button>
          </form>
          {outcome.phase === 'refused' ? (
            <Problem
              id={`${id}-problem`}
              problem={outcome.problem}
              onAgain={() => {
                // The button goes away with the problem, and would take the focus along.
                field.current?.focus();
                void translate(text);
              }}
            />
          ) : null}
          <p class="soft small told" role="status">
            {outcome.phase === 'reading' ? 'Reading the question …' : null}
            {outcome.phase === 'written'
              ? `${writers[outcome.by]} the pattern below. Check it, then press “Ask this pattern”.`
              : null}
          </p>
          {questions.length === 0 ? null : (
            <div class="word-examples small">
              <span class="soft">
                {listing?.translator === true
                  ? 'Any question about this graph, for example:'
                  : 'Questions like:'}
              </span>
              {questions.map((question) => (
                <button key={question} type="button" class="button" onClick={() => void translate(question)}>
                  {question}
                </button>
              ))}
            </div>
          )}
        </div>
      )}
    </section>
  );
}
