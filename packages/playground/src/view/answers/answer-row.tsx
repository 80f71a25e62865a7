import type { SetsAnswerEntity } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { stateMeanings, stateWords } from '../../ask/state-words.ts';
import { partsOf } from '../../question/question.ts';
import { nameOfPart } from '../name-of-part.ts';
import type { PageState } from '../page-state.ts';
import { DegreeBar } from './degree-bar.tsx';
import { SupportLinks } from './support-links.tsx';

/** The lowest degree of what is recorded without a doubt. */
const undoubted = 0.95;

/** An answer or a suggestion, which opens to say why. */
export function AnswerRow({
  answer,
  state,
  isOpen,
}: {
  readonly answer: SetsAnswerEntity;
  readonly state: PageState;
  /** Whether it says why from the start. */
  readonly isOpen: boolean;
}): JSX.Element {
  const { label, key, degree, operands, links = [] } = answer;
  const words = stateWords[answer.state];
  return (
    <li>
      <details class="answer" open={isOpen}>
        <summary>
          <span
            class={`mark ${answer.state}`}
            role="img"
            aria-label={words}
            title={`${words}: ${stateMeanings[answer.state]}`}
          />
          <span class="answer-name">
            <span class="answer-label">{label}</span>
            {key === label ? null : <span class="answer-key">{key}</span>}
          </span>
          <DegreeBar degree={degree} kind={answer.state} />
        </summary>
        <div class="why">
          <p class="soft small">
            {words}: {stateMeanings[answer.state]}
          </p>
          {operands === undefined ? null : <Operands operands={operands} state={state} />}
          {links.length === 0 ? (
            <p class="soft small">No fact supports this answer: the question only excludes things.</p>
          ) : (
            <>
              <h3>Links that support it</h3>
              <SupportLinks links={links} />
            </>
          )}
        </div>
      </details>
    </li>
  );
}

function Operands({
  operands,
  state,
}: {
  readonly operands: NonNullable<SetsAnswerEntity['operands']>;
  readonly state: PageState;
}): JSX.Element {
  const parts = partsOf(state.question.value);
  return (
    <>
      <h3>How far it answers each part</h3>
      <ul class="operands">
        {operands.map(({ degree, known }, i) => {
          const part = parts[i];
          return part === undefined ? null : (
            <li key={part.key} class="operand">
              <span class="operand-name">{nameOfPart(part, state)}</span>
              <DegreeBar degree={degree} kind={operandKind(degree, known)} />
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Recorded facts that the model doubts are those of a negation whose degree is low. */
function operandKind(degree: number, known: boolean): SetsAnswerEntity['state'] {
  if (!known) return 'predicted';
  return degree < undoubted ? 'doubted' : 'recorded';
}
