import { asEntityId, asRelationId, FuzzError } from '@fuzzqe/core';
import { entity, formatQuery, parseQueryText, project } from '@fuzzqe/core/query';
import { openEngine, stateWords } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';

const bundle = 'runs/graph/bundle';
const text = process.argv[2];
try {
  const engine = await openEngine({ source: folderSource(bundle), sessions: nodeSessions(bundle) });
  try {
    const { vocabulary, facts } = engine;
    // Without a question: what the first fact is an answer to.
    const [head, relation] = facts.forwardTriples();
    const query =
      text === undefined
        ? project(asRelationId(relation!), entity(asEntityId(head!)))
        : parseQueryText(text, vocabulary);
    console.log(formatQuery(query, vocabulary));
    const { answers, suggestions } = await engine.answer(query, { k: 5 });
    for (const { label, degree, state } of answers)
      console.log(degree.toFixed(3), label, `(${stateWords[state]})`);
    for (const { label, degree } of suggestions) console.log(degree.toFixed(3), label, '(only suggested)');
  } finally {
    await engine.close();
  }
} catch (error) {
  if (!(error instanceof FuzzError)) throw error;
  // Where the mistake is, what it is and how to mend it.
  console.error(`${error}`);
  process.exitCode = 1;
}
