import { answerSparqlCall, type SparqlCall } from '../question/read-sparql.ts';

/** A worker of the browser that reads SPARQL: the parser takes a fifth of a second to be built, in which the page would stand still. */
addEventListener('message', ({ data }: MessageEvent<{ readonly id: number; readonly call: SparqlCall }>) => {
  const { id, call } = data;
  // What is wrong with the text is an answer.
  void answerSparqlCall(call).then((reply) => postMessage({ id, reply }));
});
