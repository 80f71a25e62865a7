import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { PageState } from '../page-state.ts';
import { NotationField } from './notation-field.tsx';
import type { Notation } from './noted-question.ts';

const titles: Readonly<Record<Notation, string>> = { text: 'Text', sparql: 'SPARQL' };
const notations = Object.keys(titles) as Notation[]; // its own keys

/** The question as text or as SPARQL, which may be typed as well; both follow what is built. */
export function NotationEditor({ state }: { readonly state: PageState }): JSX.Element {
  const id = useId();
  const { typed } = state;
  const notation = state.notation.value;
  /** Turns to another notation, once what is typed is read; where it cannot be, its problem is shown first. */
  const turnTo = async (next: Notation): Promise<void> => {
    if (await typed.settle()) state.notation.value = next;
  };
  return (
    <section class="card notation" aria-label="The question in writing">
      <header class="card-head">
        <div class="choices" role="tablist" aria-label="Notation">
          {notations.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`${id}-${each}`}
              aria-selected={each === notation}
              aria-controls={`${id}-panel`}
              tabIndex={each === notation ? 0 : -1}
              onClick={() => void turnTo(each)}
              onKeyDown={(event) => {
                if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
                const other = notations.find((one) => one !== each) ?? each;
                void turnTo(other);
                document.getElementById(`${id}-${other}`)?.focus();
              }}
            >
              {titles[each]}
            </button>
          ))}
        </div>
      </header>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${notation}`} class="notation-body">
        <NotationField
          state={state}
          typed={typed}
          label={`The question as ${titles[notation]}`}
          placeholder={notation === 'text' ? 'project(relation, "An entity")' : 'SELECT ?answer WHERE { … }'}
          leastRows={notation === 'text' ? 2 : 4}
        />
      </div>
    </section>
  );
}
