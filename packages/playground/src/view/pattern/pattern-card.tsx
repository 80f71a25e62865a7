import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { lastId, startDrawing } from '../../pattern/drawing.ts';
import { addEntity, addVariable } from '../../pattern/drawing-edits.ts';
import { toPattern } from '../../pattern/drawing-pattern.ts';
import { patternForms } from '../../question/exporters.ts';
import { CardActions } from '../builder/card-actions.tsx';
import { EntityPicker } from '../builder/entity-picker.tsx';
import { useWidth } from '../builder/use-width.ts';
import type { PageState } from '../page-state.ts';
import { PatternCanvas } from './pattern-canvas.tsx';
import { PatternInspector } from './pattern-inspector.tsx';

/** The drawing of a pattern, and what can be done with its selected part. */
export function PatternCard({ state }: { readonly state: PageState }): JSX.Element {
  const { pattern } = state;
  const [canvas, width] = useWidth();
  const card = useRef<HTMLElement>(null);
  const [isPicking, setPicking] = useState(false);
  const hasActed = useRef(false);
  const drawing = pattern.drawing.value;
  const selected = pattern.selected.value;
  useEffect(() => {
    if (!hasActed.current) return;
    hasActed.current = false;
    // The element with the focus may be gone; a user without a mouse would begin again at the top of the page.
    if (card.current?.contains(document.activeElement) === true) return;
    const place = selected === undefined ? '.tools button' : `[data-item="${selected}"]`;
    card.current?.querySelector<HTMLElement>(place)?.focus();
  });
  const act = (): void => {
    hasActed.current = true;
  };
  const text = pattern.typed.written.value;
  return (
    <section
      ref={card}
      class="card question"
      aria-labelledby="pattern-title"
      onKeyDown={(event) => {
        if (event.key === 'Escape') pattern.linkFrom.value = undefined;
        // What has the focus is removed by the keys of the page.
        if (event.key === 'Delete') act();
      }}
    >
      <header class="card-head">
        <h2 id="pattern-title">Several variables</h2>
        <CardActions
          state={state}
          edited={pattern}
          name={text === '' ? undefined : text}
          exported={{
            asked: pattern.isAskable.value ? toPattern(drawing) : undefined,
            settings: pattern.settings.value,
            count: pattern.counts.value,
            forms: patternForms,
          }}
          clear={{
            what: 'Clear the drawing?',
            isPossible: drawing !== startDrawing,
            act: () => pattern.change(startDrawing),
          }}
        />
      </header>
      <div ref={canvas}>
        <PatternCanvas state={state} width={width} />
      </div>
      <div class="actions tools">
        <button
          type="button"
          class="button"
          onClick={() => {
            const next = addVariable(drawing);
            pattern.change(next, lastId(next));
          }}
        >
          Add a variable
        </button>
        <button type="button" class="button" aria-expanded={isPicking} onClick={() => setPicking(!isPicking)}>
          Add an entity
        </button>
      </div>
      {isPicking ? (
        <div class="tools">
          <EntityPicker
            state={state}
            focus
            onPick={(entity) => {
              act();
              setPicking(false);
              const next = addEntity(drawing, entity);
              const added = next.nodes.find(({ is }) => 'entity' in is && is.entity === entity);
              pattern.change(next, added?.id);
            }}
          />
        </div>
      ) : null}
      <PatternInspector state={state} onAct={act} />
      {drawing.others.length === 0 ? null : (
        <p class="note small others">
          The text has conditions that the drawing does not show. They are asked as well.
        </p>
      )}
    </section>
  );
}
