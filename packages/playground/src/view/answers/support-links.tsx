import { type AnswerLink, reasonTexts } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { FactWords } from '../../explorer/fact-words.tsx';

/** The links that support an answer, each once, with reasons for predicted links. */
export function SupportLinks({ links }: { readonly links: readonly AnswerLink[] }): JSX.Element {
  const keyOf = ({ head, relation, tail }: AnswerLink): string => `${head.id} ${relation.id} ${tail.id}`;
  const once = new Map(links.map((link) => [keyOf(link), link]));
  return (
    <ul class="links">
      {[...once].map(([key, link]) => (
        <Link key={key} link={link} />
      ))}
    </ul>
  );
}

function Link({ link }: { readonly link: AnswerLink }): JSX.Element {
  const { head, relation, tail, recorded, degree } = link;
  const [from, to] = relation.inverse ? [tail, head] : [head, tail];
  const reasons = reasonTexts(link);
  return (
    <li class="support">
      <span class={`mark ${recorded ? 'recorded' : 'predicted'}`} aria-hidden="true" />
      <span class="link-text">
        <FactWords head={from.label} relation={relation.label} tail={to.label} />
      </span>
      <span class="soft small number">{recorded ? 'recorded' : `predicted ${degree.toFixed(3)}`}</span>
      {reasons.for.length + reasons.against.length === 0 ? null : (
        <ul class="reasons small">
          {reasons.for.map((text) => (
            <li key={text} class="reason-for">
              {text}
            </li>
          ))}
          {reasons.against.map((text) => (
            <li key={text} class="reason-against">
              {text}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
