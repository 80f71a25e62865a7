import type { EntityId } from '@fuzzqe/core';
import type { EntityDescription, PredictedEntity } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { factKey, factOf, type SuggestedFact, verdictOf } from './desk.ts';
import { FactWords } from './fact-words.tsx';
import { Likelihood } from './likelihood.tsx';
import { useRowNotes } from './use-row-notes.ts';
import type { Verdicts } from './use-verdicts.ts';
import { RowFault, VerdictButtons } from './verdict-buttons.tsx';

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
  verdicts: { desk, judging, give },
  onEntity,
}: {
  readonly page: EntityDescription;
  readonly verdicts: Verdicts;
  readonly onEntity: (entity: EntityId) => void;
}): JSX.Element {
  const [shown, setShown] = useState(first);
  const title = useRef<HTMLHeadingElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const notes = useRowNotes(give);
  /** The place of the row that was judged last: its page comes anew without the row. */
  const judged = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const place = judged.current;
    judged.current = undefined;
    // The row took the focus along.
    if (place !== undefined && document.activeElement === document.body)
      (list.current?.children[place]?.querySelector<HTMLElement>('.verdict') ?? title.current)?.focus();
  }, [page]);
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
      <ul class="fact-list" ref={list}>
        {all.slice(0, shown).map(({ fact, other }, place) => (
          <li key={factKey(fact)} class="fact-row" aria-busy={notes.noteOf(fact)?.phase === 'writing'}>
            <FactText fact={fact} other={other} onEntity={onEntity} />
            <Likelihood fact={fact} />
            <VerdictButtons
              fact={fact}
              // What a server has judged is no suggestion any more.
              verdict={judging === undefined ? verdictOf(desk, fact) : undefined}
              notes={notes}
              onGiven={() => {
                judged.current = judging === undefined ? undefined : place;
              }}
            />
            <RowFault fact={fact} notes={notes} />
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
