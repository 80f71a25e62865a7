import type { EntityId } from '@fuzzqe/core';
import type { EntityDescription, PredictedEntity } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { type Desk, factKey, factOf, type SuggestedFact, type Verdict, verdictOf } from './desk.ts';
import { FactWords } from './fact-words.tsx';

/** How many suggestions are shown at first. */
const first = 10;

interface Suggestion {
  readonly fact: SuggestedFact;
  readonly other: PredictedEntity;
  /**
   * Whether the entity has recorded facts of the relation, and this one is not about itself twice: where it has none, it may be of a
   * kind that never does.
   */
  readonly isUsual: boolean;
}

/** What the model takes for missing facts of an entity, the likeliest first, each to accept or to reject. */
export function Suggestions({
  page,
  desk,
  onVerdict,
  onEntity,
}: {
  readonly page: EntityDescription;
  readonly desk: Desk;
  readonly onVerdict: (fact: SuggestedFact, verdict: Verdict | undefined) => void;
  readonly onEntity: (entity: EntityId) => void;
}): JSX.Element {
  const [shown, setShown] = useState(first);
  const title = useRef<HTMLHeadingElement>(null);
  const [withUnusual, setWithUnusual] = useState(false);
  const found = useMemo(() => suggestionsOf(page), [page]);
  const usual = found.filter(({ isUsual }) => isUsual);
  const all = withUnusual || usual.length === 0 ? found : usual;
  const unusual = found.length - all.length;
  return (
    <section class="card" aria-labelledby="suggestions-title">
      <div class="card-head">
        <h2 id="suggestions-title" ref={title} tabIndex={-1}>
          Suggested by the model
        </h2>
        <span class="soft small">how likely it is a fact</span>
      </div>
      <ul class="fact-list">
        {all.slice(0, shown).map(({ fact, other }) => (
          <li key={factKey(fact)} class="fact-row">
            <FactText fact={fact} other={other} onEntity={onEntity} />
            <Likelihood fact={fact} />
            <Verdicts fact={fact} verdict={verdictOf(desk, fact)} onVerdict={onVerdict} />
          </li>
        ))}
      </ul>
      {all.length === 0 ? <p class="fact-note soft">The model suggests nothing here.</p> : null}
      {all.length > shown || unusual > 0 ? (
        <div class="card-foot">
          {all.length > shown ? (
            <button
              type="button"
              class="button"
              onClick={() => {
                // The last press removes the button.
                if (shown + 2 * first >= all.length) title.current?.focus();
                setShown(shown + 2 * first);
              }}
            >
              {all.length - shown} more
            </button>
          ) : null}
          {unusual > 0 ? (
            <button
              type="button"
              class="button plain"
              onClick={() => {
                title.current?.focus();
                setWithUnusual(true);
              }}
            >
              {unusual} by relations that {page.label} has no facts of
            </button>
          ) : null}
        </div>
      ) : null}
    </section>
  );
}

/** All suggestions of a page, each fact once: both ends of a relation may suggest it. */
function suggestionsOf(page: EntityDescription): readonly Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const { relation, recorded, predicted } of page.relations.results)
    for (const other of predicted) {
      const fact = factOf(page, relation, other);
      const before = found.get(factKey(fact));
      if (before === undefined || fact.degree > before.fact.degree)
        found.set(factKey(fact), { fact, other, isUsual: recorded.total > 0 && other.id !== page.id });
    }
  return [...found.values()].sort(
    (a, b) => Number(b.isUsual) - Number(a.isUsual) || b.fact.degree - a.fact.degree,
  );
}

function FactText({
  fact,
  other,
  onEntity,
}: {
  readonly fact: SuggestedFact;
  readonly other: PredictedEntity;
  readonly onEntity: (entity: EntityId) => void;
}): JSX.Element {
  const name = (each: SuggestedFact['head']): JSX.Element =>
    each.key === other.key ? (
      <button type="button" class="link" onClick={() => onEntity(other.id)}>
        {each.label}
      </button>
    ) : (
      <span>{each.label}</span>
    );
  return (
    <span class="fact-text">
      <FactWords head={name(fact.head)} relation={fact.relation.label} tail={name(fact.tail)} />
    </span>
  );
}

function Likelihood({ fact: { degree } }: { readonly fact: SuggestedFact }): JSX.Element {
  return (
    <span class="degree">
      <span class="degree-track" aria-hidden="true">
        <span class="degree-bar predicted" style={{ width: `${Math.max(degree * 100, 1)}%` }} />
      </span>
      <span class="number likelihood">{percentOf(degree)}</span>
    </span>
  );
}

/** `63 %`, `1.4 %`. */
function percentOf(degree: number): string {
  const percent = 100 * degree;
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

function Verdicts({
  fact,
  verdict,
  onVerdict,
}: {
  readonly fact: SuggestedFact;
  readonly verdict: Verdict | undefined;
  readonly onVerdict: (fact: SuggestedFact, verdict: Verdict | undefined) => void;
}): JSX.Element {
  const { head, relation, tail } = fact;
  const what = `${head.label}, ${relation.label}, ${tail.label}`;
  const button = (own: Verdict, word: string): JSX.Element => (
    <button
      type="button"
      class={`button verdict ${own}`}
      aria-pressed={verdict === own}
      aria-label={`${word}: ${what}`}
      onClick={() => onVerdict(fact, verdict === own ? undefined : own)}
    >
      {word}
    </button>
  );
  return (
    <span class="verdicts">
      {button('accepted', 'Accept')}
      {button('rejected', 'Reject')}
    </span>
  );
}
