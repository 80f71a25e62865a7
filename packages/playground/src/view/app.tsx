import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { Explorer } from '../explorer/explorer.tsx';
import { Answers } from './answers/answers.tsx';
import { EntityPicker } from './builder/entity-picker.tsx';
import { QuestionCard } from './builder/question-card.tsx';
import { Examples } from './frame/examples.tsx';
import { Header } from './frame/header.tsx';
import { Shortcuts } from './frame/shortcuts.tsx';
import { NotationEditor } from './notation/notation-editor.tsx';
import { NotationField } from './notation/notation-field.tsx';
import { createPageState, type PageStart, type PageState } from './page-state.ts';
import { PatternAnswers } from './pattern/pattern-answers.tsx';
import { PatternCard } from './pattern/pattern-card.tsx';
import { PatternExamples } from './pattern/pattern-examples.tsx';
import { WordsCard } from './pattern/words-card.tsx';

/** The page of one model. */
export function App({
  start,
  onModel,
}: {
  readonly start: PageStart;
  readonly onModel: (name: string) => void;
}): JSX.Element {
  const state = useMemo(() => createPageState(start), [start]);
  useEffect(() => () => state.close(), [state]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const shown = { ask: state, patterns: state.pattern, explore: undefined }[state.tab.peek()];
      if (
        isTypedInto(event.target) ||
        shown === undefined ||
        !(event.ctrlKey || event.metaKey) ||
        event.key.toLowerCase() !== 'z'
      )
        return;
      event.preventDefault();
      if (event.shiftKey) shown.redo();
      else shown.undo();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [state]);
  return (
    <>
      <Header state={state} onModel={onModel} />
      <Panel state={state} />
      <footer class="page-foot small soft">
        Data: {state.model.data.name}, {state.model.data.licence}. Degrees say how far an entity answers, from
        0 to 1. <Shortcuts state={state} />
      </footer>
    </>
  );
}

/** Whether an element has a text of its own to undo: boxes and dots have none, nor has an empty field. */
function isTypedInto(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return true;
  return (
    target instanceof HTMLInputElement && !['checkbox', 'radio'].includes(target.type) && target.value !== ''
  );
}

function Panel({ state }: { readonly state: PageState }): JSX.Element {
  switch (state.tab.value) {
    case 'ask':
      return <AskPanel state={state} />;
    case 'patterns':
      return <PatternPanel state={state} />;
    default:
      return <ExplorePanel state={state} />;
  }
}

function PatternPanel({ state }: { readonly state: PageState }): JSX.Element {
  return (
    <main class="desk asking patterns">
      <WordsCard state={state} />
      <PatternCard state={state} />
      <section class="card notation" aria-label="The pattern in writing">
        <div class="notation-body">
          <span class="picker-label">The pattern as text</span>
          <NotationField
            state={state}
            typed={state.pattern.typed}
            label="The pattern as text"
            placeholder="?x, ?y : relation(?x, ?y), not other(?y, An entity)"
          />
        </div>
      </section>
      <PatternAnswers state={state} />
      <PatternExamples state={state} />
    </main>
  );
}

function AskPanel({ state }: { readonly state: PageState }): JSX.Element {
  return (
    <main class="desk asking">
      <QuestionCard state={state} />
      <Answers state={state} />
      <NotationEditor state={state} />
      <Examples state={state} />
    </main>
  );
}

function ExplorePanel({ state }: { readonly state: PageState }): JSX.Element {
  return (
    <Explorer
      source={state.nameSource()}
      model={state.model.name}
      relations={state.names.relations}
      entity={state.explored.value}
      onEntity={(entity) => {
        state.explored.value = entity;
      }}
      picker={(onPick) => (
        <EntityPicker state={state} onPick={onPick} focus={state.explored.value === undefined} />
      )}
      onAsk={(question) => {
        state.tab.value = 'ask';
        state.change(question, question.key);
      }}
    />
  );
}
