import type { EntityId } from '@fuzzqe/core';
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { addHop, join, negate, remove, setAnchor, setRelation } from '../../question/edits.ts';
import { parentOf, partsOf, type Question } from '../../question/question.ts';
import { toQuery } from '../../question/to-query.ts';
import { DegreeBar } from '../answers/degree-bar.tsx';
import { nameOfPart } from '../name-of-part.ts';
import type { PageState } from '../page-state.ts';
import { EntityPicker } from './entity-picker.tsx';
import { RelationPicker } from './relation-picker.tsx';

/** The selected part of the question: what it holds, and what can be done with it. */
export function Inspector({ state }: { readonly state: PageState }): JSX.Element {
  const part = state.selectedPart.value;
  const place = useRef<HTMLDivElement>(null);
  const hasActed = useRef(false);
  useEffect(() => {
    if (!hasActed.current) return;
    hasActed.current = false;
    // What had the focus may be gone; whoever has no mouse would begin again at the top of the page.
    if (place.current?.contains(document.activeElement) === true) return;
    place.current?.querySelector<HTMLElement>('[role="combobox"], button')?.focus();
  });
  return (
    <div ref={place}>
      <PartInspector
        key={part.key}
        part={part}
        state={state}
        onAct={() => {
          hasActed.current = true;
        }}
      />
    </div>
  );
}

type Panel = 'follow' | 'change' | undefined;

const joins = [
  ['and', 'And…'],
  ['not', 'And not…'],
  ['or', 'Or…'],
] as const;

function PartInspector({
  part,
  state,
  onAct,
}: {
  readonly part: Question;
  readonly state: PageState;
  readonly onAct: () => void;
}): JSX.Element {
  const isOpen = part.kind === 'hole' || (part.kind === 'anchor' && part.entity === undefined);
  const lacksRelation = part.kind === 'hop' && part.relation === undefined;
  const [panel, setPanel] = useState<Panel>();
  const question = state.question.value;
  const parent = parentOf(question, part.key);
  const isFollowed = parent?.kind === 'hop';
  const toggle = (next: Panel) => () => setPanel(panel === next ? undefined : next);
  const pickEntity = useCallback(
    (entity: EntityId) => {
      // A new condition goes on with its relation.
      setPanel(isOpen && !isFollowed ? 'follow' : undefined);
      onAct();
      state.change(setAnchor(state.question.peek(), part.key, entity));
    },
    [state, part.key, onAct, isOpen, isFollowed],
  );
  const act = (next: Question): void => {
    setPanel(undefined);
    onAct();
    state.change(next, firstOpen(next, question) ?? keyAfter(next, question, part.key));
  };
  return (
    <section class="inspector" aria-label="Selected part">
      <header class="inspector-head">
        <h3>
          {part.key === state.question.value.key && partsOf(part).length > 0
            ? 'The whole question'
            : nameOfPart(part, state)}
        </h3>
        <div class="actions">
          {isOpen ? null : (
            <>
              <button
                type="button"
                class="button"
                aria-expanded={panel === 'follow'}
                onClick={toggle('follow')}
              >
                Follow a relation
              </button>
              {joins.map(([how, title]) => (
                <button
                  key={how}
                  type="button"
                  class="button"
                  onClick={() => act(join(question, part.key, how))}
                >
                  {title}
                </button>
              ))}
              <button
                type="button"
                class="button"
                aria-pressed={part.kind === 'not'}
                onClick={() => act(negate(question, part.key))}
              >
                Not
              </button>
            </>
          )}
          {part.kind === 'anchor' && !isOpen ? (
            <button
              type="button"
              class="button"
              aria-expanded={panel === 'change'}
              onClick={toggle('change')}
            >
              Change
            </button>
          ) : null}
          {part.kind === 'hop' && !lacksRelation ? (
            <button
              type="button"
              class="button"
              aria-expanded={panel === 'change'}
              onClick={toggle('change')}
            >
              Change relation
            </button>
          ) : null}
          {parent !== undefined || !isOpen ? (
            <button type="button" class="button" onClick={() => act(remove(question, part.key))}>
              Remove
            </button>
          ) : null}
        </div>
      </header>
      {isOpen || (part.kind === 'anchor' && panel === 'change') ? (
        <EntityPicker state={state} focus={parent !== undefined || panel === 'change'} onPick={pickEntity} />
      ) : null}
      {part.kind === 'hop' && (lacksRelation || panel === 'change') ? (
        <RelationPicker
          state={state}
          of={part.of}
          onPick={(relation) => act(setRelation(question, part.key, relation))}
        />
      ) : null}
      {panel === 'follow' ? (
        <RelationPicker
          state={state}
          of={part}
          onPick={(relation) => act(addHop(question, part.key, relation))}
        />
      ) : null}
      <Members part={part} state={state} />
    </section>
  );
}

/** How many lines stand for the best entities of a part until they come: about as many as there will be, so that nothing below moves. */
const places = [0, 1, 2, 3, 4];

/** The best entities of a part that is no anchor, with their degrees. */
function Members({
  part,
  state,
}: {
  readonly part: Question;
  readonly state: PageState;
}): JSX.Element | null {
  const members = state.findings.value.members.get(part.key) ?? [];
  if (members.length === 0 && state.isAsking.value && part.kind !== 'anchor' && toQuery(part) !== undefined)
    return (
      <ul class="members" aria-hidden="true">
        {places.map((place) => (
          <li key={place}>
            <span class="waiting-row" />
          </li>
        ))}
      </ul>
    );
  if (members.length === 0) return null;
  return (
    <ul class="members">
      {members.map(({ id, label, degree, known }) => (
        <li key={id}>
          <span
            class={`mark ${known ? 'recorded' : 'predicted'}`}
            role="img"
            aria-label={known ? 'recorded' : 'predicted'}
          />
          <span class="member-name">{label}</span>
          <DegreeBar degree={degree} kind={known ? 'recorded' : 'predicted'} />
        </li>
      ))}
    </ul>
  );
}

/** The first open place that was not there before. */
function firstOpen(next: Question, before: Question): string | undefined {
  const had = new Set(keysOf(before));
  const isOpen = (part: Question): boolean =>
    part.kind === 'hole' ||
    (part.kind === 'anchor' && part.entity === undefined) ||
    (part.kind === 'hop' && part.relation === undefined);
  const visit = (part: Question): string | undefined => {
    if (isOpen(part) && !had.has(part.key)) return part.key;
    for (const below of partsOf(part)) {
      const found = visit(below);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return visit(next);
}

/** The part that was made of the one of a key, if any, else that one. */
function keyAfter(next: Question, before: Question, key: string): string {
  const had = new Set(keysOf(before));
  const above = parentOf(next, key);
  return above !== undefined && !had.has(above.key) ? above.key : key;
}

function keysOf(question: Question): string[] {
  return [question.key, ...partsOf(question).flatMap(keysOf)];
}
