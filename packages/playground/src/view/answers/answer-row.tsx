import type { AnswerLink, SetsAnswerEntity } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { markMeanings, markOf } from '../../ask/mark-of.ts';
import { FactWords } from '../../explorer/fact-words.tsx';
import { partsOf } from '../../question/question.ts';
import { nameOfPart } from '../name-of-part.ts';
import type { PageState } from '../page-state.ts';
import { DegreeBar } from './degree-bar.tsx';

/** An answer, which opens to say why. */
export function AnswerRow({
  answer,
  state,
}: {
  readonly answer: SetsAnswerEntity;
  readonly state: PageState;
}): JSX.Element {
  const { label, key, degree, operands, links = [] } = answer;
  const mark = markOf(answer);
  return (
    <li>
      <details class="answer">
        <summary>
          <span
            class={`mark ${mark}`}
            role="img"
            aria-label={mark}
            title={`${mark}: ${markMeanings[mark]}`}
          />
          <span class="answer-name">
            <span class="answer-label">{label}</span>
            {key === label ? null : <span class="answer-key">{key}</span>}
          </span>
          <DegreeBar degree={degree} kind={mark} />
        </summary>
        <div class="why">
          {operands === undefined ? null : <Operands operands={operands} state={state} />}
          {links.length === 0 ? (
            <p class="soft small">No link speaks for it: the question asks for what is not.</p>
          ) : (
            <>
              <h3>Links that support it</h3>
              <ul class="links">
                {links.map((link) => (
                  <Link key={`${link.head.id} ${link.relation.id} ${link.tail.id}`} link={link} />
                ))}
              </ul>
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
              <DegreeBar degree={degree} kind={known ? 'recorded' : 'new'} />
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Link({ link }: { readonly link: AnswerLink }): JSX.Element {
  const { head, relation, tail, recorded, degree } = link;
  const [from, to] = relation.inverse ? [tail, head] : [head, tail];
  return (
    <li class="support">
      <span class={`mark ${recorded ? 'recorded' : 'new'}`} aria-hidden="true" />
      <span class="link-text">
        <FactWords head={from.label} relation={relation.label} tail={to.label} />
      </span>
      <span class="soft small number">{recorded ? 'recorded' : `predicted ${degree.toFixed(3)}`}</span>
    </li>
  );
}
