import type { EntityId } from '@fuzzqe/core';
import { type EntityDescription, type EntityRelation, provenanceText } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { inverseMark } from '../question/inverse-mark.ts';
import type { SourceError } from '../sources/answer-source.ts';

/** What is recorded of an entity, by relation, in both directions. */
export function EntityFacts({
  page,
  isLoading,
  fault,
  onMore,
  onEntity,
  onAsk,
}: {
  readonly page: EntityDescription;
  readonly isLoading: boolean;
  /** Why there are no more relations yet. */
  readonly fault: SourceError | undefined;
  readonly onMore: () => void;
  readonly onEntity: (entity: EntityId) => void;
  readonly onAsk: (relation: number, from: number) => void;
}): JSX.Element {
  const { total, results } = page.relations;
  const recorded = results.filter((each) => each.recorded.total > 0);
  const left = total - results.length;
  const title = useRef<HTMLHeadingElement>(null);
  const hasAsked = useRef(false);
  useEffect(() => {
    // The last relations remove the button that had the focus.
    if (left === 0 && hasAsked.current) title.current?.focus();
    hasAsked.current = false;
  }, [left]);
  return (
    <section class="card" aria-labelledby="facts-title">
      <div class="card-head">
        <h2 id="facts-title" ref={title} tabIndex={-1}>
          Recorded facts
        </h2>
      </div>
      <ul class="fact-list">
        {recorded.map((each) => (
          <li key={each.relation.id} class="relation-row">
            <RelationFacts of={each} onEntity={onEntity} onAsk={() => onAsk(each.relation.id, page.id)} />
          </li>
        ))}
      </ul>
      {recorded.length === 0 ? <p class="fact-note soft">Nothing is recorded by these relations.</p> : null}
      {fault === undefined ? null : (
        <p class="fact-note problem" role="alert">
          {fault.message} {fault.hint}
        </p>
      )}
      {left > 0 ? (
        <div class="card-foot">
          <button
            type="button"
            class="button"
            aria-disabled={isLoading}
            onClick={() => {
              hasAsked.current = true;
              onMore();
            }}
          >
            {isLoading ? 'Looking them up …' : `${left} more relations`}
          </button>
        </div>
      ) : null}
    </section>
  );
}

function RelationFacts({
  of: { relation, recorded },
  onEntity,
  onAsk,
}: {
  readonly of: EntityRelation;
  readonly onEntity: (entity: EntityId) => void;
  readonly onAsk: () => void;
}): JSX.Element {
  const hidden = recorded.total - recorded.results.length;
  const name = relation.inverse ? relation.label + inverseMark : relation.label;
  return (
    <>
      <h3>
        {name}{' '}
        <button type="button" class="link small" aria-label={`Ask for ${name}`} onClick={onAsk}>
          ask
        </button>
      </h3>
      <p class="entity-names">
        {recorded.results.map(({ id, label, provenance }) => (
          <span key={id}>
            <button type="button" class="link" onClick={() => onEntity(id)}>
              {label}
            </button>
            {provenance === undefined ? null : (
              <span class="soft small"> ({provenanceText(provenance)})</span>
            )}
          </span>
        ))}
        {hidden > 0 ? <span class="soft small">and {hidden} more</span> : null}
      </p>
    </>
  );
}
