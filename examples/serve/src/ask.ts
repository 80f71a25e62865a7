import { asEntityId, asRelationId } from '@fuzzqe/core';
import { entity, formatQuery, parseQueryText, project } from '@fuzzqe/core/query';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';

const bundle = 'runs/graph/bundle';
const engine = await openEngine({ source: folderSource(bundle), sessions: nodeSessions(bundle) });
try {
  const { vocabulary, facts } = engine;
  const text = process.argv[2];
  // Without a question: what the first fact is an answer to.
  const [head, relation] = facts.forwardTriples();
  const query =
    text === undefined
      ? project(asRelationId(relation!), entity(asEntityId(head!)))
      : parseQueryText(text, vocabulary);
  console.log(formatQuery(query, vocabulary));
  const { answers } = await engine.answer(query, { k: 5 });
  for (const { label, degree, known } of answers)
    console.log(degree.toFixed(3), label, known ? '' : '(predicted)');
} finally {
  await engine.close();
}
