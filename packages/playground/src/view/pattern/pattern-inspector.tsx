import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { type Drawing, type DrawnLink, type DrawnNode, linkOf, nodeOf } from '../../pattern/drawing.ts';
import {
  negateLink,
  removeItem,
  setDifferent,
  setRelation,
  toggleAnswer,
  turnLink,
} from '../../pattern/drawing-edits.ts';
import type { Question } from '../../question/question.ts';
import { RelationPicker } from '../builder/relation-picker.tsx';
import type { PageState } from '../page-state.ts';
import { linkWords, nodeWords } from './item-words.ts';

/** What can be done with the selected node or link. */
export function PatternInspector({
  state,
  onAct,
}: {
  readonly state: PageState;
  /** Called before what has the focus may go away. */
  readonly onAct: () => void;
}): JSX.Element {
  const { pattern } = state;
  const drawing = pattern.drawing.value;
  const id = pattern.selected.value;
  const [node, link] = [nodeOf(drawing, id), linkOf(drawing, id)];
  const act = (next: Drawing): void => {
    onAct();
    pattern.change(next);
  };
  if (node !== undefined) return <NodeInspector key={node.id} {...{ node, state, act }} />;
  if (link !== undefined) return <LinkInspector key={link.id} {...{ link, state, act }} />;
  return (
    <p class="inspector soft small">
      Drag from a circle to another one to link them, or to an empty place to move the circle. Or choose a
      circle, then “Link to…”.
    </p>
  );
}

interface Acting {
  readonly state: PageState;
  readonly act: (next: Drawing) => void;
}

function NodeInspector({ node, state, act }: Acting & { readonly node: DrawnNode }): JSX.Element {
  const { pattern } = state;
  const drawing = pattern.drawing.value;
  const isLinking = pattern.linkFrom.value === node.id;
  const name = nodeWords(node, state);
  return (
    <section class="inspector" aria-label="Selected part">
      <header class="inspector-head">
        <h3>{name}</h3>
        <div class="actions">
          <button
            type="button"
            class="button"
            aria-pressed={isLinking}
            onClick={() => {
              pattern.linkFrom.value = isLinking ? undefined : node.id;
              // Keys go on to the other node from there.
              document.querySelector<SVGElement>(`[data-item="${node.id}"]`)?.focus();
            }}
          >
            Link to…
          </button>
          {'variable' in node.is ? (
            <button
              type="button"
              class="button"
              aria-pressed={drawing.answers.includes(node.id)}
              onClick={() => act(toggleAnswer(drawing, node.id))}
            >
              Answer
            </button>
          ) : null}
          <button type="button" class="button" onClick={() => act(removeItem(drawing, node.id))}>
            Remove
          </button>
        </div>
      </header>
      <p class="soft small" role="status">
        {isLinking ? `Choose where the link from ${name} leads. Escape gives up.` : ''}
      </p>
    </section>
  );
}

function LinkInspector({ link, state, act }: Acting & { readonly link: DrawnLink }): JSX.Element {
  const drawing = state.pattern.drawing.value;
  const { id, relation } = link;
  const [isChanging, setChanging] = useState(false);
  const from = nodeOf(drawing, link.from)?.is;
  const entity = from !== undefined && 'entity' in from ? from.entity : undefined;
  // What a variable holds is not known before it is asked.
  const of = useMemo<Question>(
    () => (entity === undefined ? { kind: 'hole', key: 'q1' } : { kind: 'anchor', key: 'q1', entity }),
    [entity],
  );
  const isPicking = relation === undefined || isChanging;
  return (
    <section class="inspector" aria-label="Selected part">
      <header class="inspector-head">
        <h3>{linkWords(link, drawing, state)}</h3>
        <div class="actions">
          {relation === undefined ? null : (
            <>
              <button
                type="button"
                class="button"
                aria-expanded={isChanging}
                onClick={() => setChanging(!isChanging)}
              >
                Change relation
              </button>
              <button
                type="button"
                class="button"
                aria-pressed={link.isNegated}
                onClick={() => act(negateLink(drawing, id))}
              >
                Not
              </button>
            </>
          )}
          {relation === 'same' ? null : (
            <button type="button" class="button" onClick={() => act(turnLink(drawing, id))}>
              Turn round
            </button>
          )}
          {isPicking ? (
            <button
              type="button"
              class="button"
              onClick={() => {
                setChanging(false);
                act(setDifferent(drawing, id));
              }}
            >
              They differ (≠)
            </button>
          ) : null}
          <button type="button" class="button" onClick={() => act(removeItem(drawing, id))}>
            Remove
          </button>
        </div>
      </header>
      {isPicking ? (
        <RelationPicker
          state={state}
          of={of}
          label="Relation of the link"
          onPick={(picked) => {
            setChanging(false);
            act(setRelation(drawing, id, picked));
          }}
        />
      ) : null}
    </section>
  );
}
