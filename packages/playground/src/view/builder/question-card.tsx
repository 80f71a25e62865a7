import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { exportForms } from '../../question/exporters.ts';
import { emptyQuestion } from '../../question/question.ts';
import { toQuery } from '../../question/to-query.ts';
import { DependencyGraph } from '../graph/dependency-graph.tsx';
import { nameOfPart } from '../name-of-part.ts';
import type { PageState } from '../page-state.ts';
import { CardActions } from './card-actions.tsx';
import { Inspector } from './inspector.tsx';
import { useWidth } from './use-width.ts';

/** The question: its graph, and what can be done with the selected part. */
export function QuestionCard({ state }: { readonly state: PageState }): JSX.Element {
  const [canvas, width] = useWidth();
  const card = useRef<HTMLElement>(null);
  const isCleared = useRef(false);
  const question = state.question.value;
  useEffect(() => {
    if (isCleared.current) card.current?.querySelector<HTMLElement>('[role="combobox"]')?.focus();
    isCleared.current = false;
  }, [question]);
  const isEmpty = question.kind === 'hole';
  return (
    <section ref={card} class="card question" aria-labelledby="question-title">
      <header class="card-head">
        <h2 id="question-title">Question</h2>
        <CardActions
          state={state}
          edited={state}
          name={isEmpty ? undefined : nameOfPart(question, state)}
          exported={{ asked: toQuery(question), settings: state.possible.value, forms: exportForms }}
          clear={{
            what: 'Clear the question?',
            isPossible: !isEmpty,
            // The page's own example is nothing to lose.
            asks: !state.isWelcome || state.canUndo.value,
            act() {
              isCleared.current = true;
              state.change({ ...emptyQuestion }, emptyQuestion.key);
            },
          }}
        />
      </header>
      {state.linkProblem.value === undefined ? null : (
        <p class="note fault link-problem" role="alert">
          {state.linkProblem.value}
        </p>
      )}
      <p class="sentence" aria-live="polite">
        {isEmpty
          ? 'Pick an entity below, or begin with an example.'
          : `Find ${nameOfPart(question, state)}.`.replace('….', '…')}
      </p>
      <div ref={canvas}>
        <DependencyGraph state={state} width={width} />
      </div>
      <Inspector state={state} />
    </section>
  );
}
