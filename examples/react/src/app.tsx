import { asEntityId, asRelationId } from '@fuzzqe/core';
import { entity, formatQuery, project } from '@fuzzqe/core/query';
import type { BrowserEngine } from '@fuzzqe/edge/browser';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useAnswers } from './use-answers';
import { useGraph } from './use-graph';

/** The page: it opens the graph, and asks it. */
export function App(): ReactNode {
  const { engine, error } = useGraph(`${import.meta.env.BASE_URL}bundle`);
  return (
    <main>
      <h1>Questions</h1>
      {error !== undefined && <p role="alert">{error.message}</p>}
      {engine === undefined ? error === undefined && <p role="status">Opening …</p> : <Ask engine={engine} />}
    </main>
  );
}

function Ask({ engine }: { readonly engine: BrowserEngine }): ReactNode {
  const [text, setText] = useState(() => firstQuestion(engine));
  const { answer, error } = useAnswers(engine, useDeferredValue(text));
  return (
    <>
      <label>
        Question <input size={60} value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      {error !== undefined && <p role="alert">{error.message}</p>}
      <ol>
        {error === undefined &&
          answer?.mode === 'sets' &&
          answer.answers.map(({ key, label, degree, state }) => (
            <li key={key}>
              {label} {degree.toFixed(3)} ({state})
            </li>
          ))}
      </ol>
    </>
  );
}

/** What the first fact is an answer to. */
function firstQuestion({ facts, vocabulary }: BrowserEngine): string {
  const [head, relation] = facts.forwardTriples();
  return formatQuery(project(asRelationId(relation ?? 0), entity(asEntityId(head ?? 0))), vocabulary);
}
