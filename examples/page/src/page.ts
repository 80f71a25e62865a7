import { asEntityId, asRelationId, FuzzError, messageOf } from '@fuzzqe/core';
import { entity, formatQuery, parseQueryText, project } from '@fuzzqe/core/query';
import { openBundle } from '@fuzzqe/edge/browser';

const form = document.querySelector('form')!;
const question = form.querySelector('input')!;
const button = form.querySelector('button')!;
const status = document.querySelector('[role=status]')!;
const list = document.querySelector('ol')!;
/** What is wrong, and how to mend it. */
const told = (error: unknown): string =>
  error instanceof FuzzError && error.hint !== undefined
    ? `${error.message}. ${error.hint}`
    : messageOf(error);
const here = (path: string): string => new URL(path, document.baseURI).href;

try {
  const engine = await openBundle(here('bundle'), {
    runtime: 'wasm',
    wasm: here('runtime/'),
    onProgress: ({ done, of }) => {
      status.textContent = `${Math.round((100 * done) / of)} %`;
    },
  });
  const [head, relation] = engine.facts.forwardTriples();
  question.value = formatQuery(
    project(asRelationId(relation!), entity(asEntityId(head!))),
    engine.vocabulary,
  );
  const ask = async (): Promise<void> => {
    try {
      const query = parseQueryText(question.value, engine.vocabulary);
      const { answers, suggestions } = await engine.answer(query, { k: 10 });
      const found = answers.length + suggestions.length;
      status.textContent = found === 0 ? 'No entity answers this.' : '';
      list.replaceChildren(
        ...[...answers, ...suggestions].map(({ label, degree, state }, i) => {
          const item = document.createElement('li');
          item.textContent = `${label} ${degree.toFixed(3)} (${i < answers.length ? state : 'only suggested'})`;
          return item;
        }),
      );
    } catch (error) {
      // The answers to what was asked before are none to this.
      list.replaceChildren();
      status.textContent = told(error);
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void ask();
  });
  button.disabled = false;
  await ask();
} catch (error) {
  status.textContent = told(error);
}
