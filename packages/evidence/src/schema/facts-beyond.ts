import type { KnowledgeGraph } from '@fuzzqe/core';

/** The facts of a graph that another graph with the same ids lacks. Shapes: → flat h, r, t with even r, in the order of `forwardTriples`. */
export function factsBeyond(all: KnowledgeGraph, known: Pick<KnowledgeGraph, 'has'>): Int32Array {
  const triples = all.forwardTriples();
  const beyond = new Int32Array(triples.length);
  let count = 0;
  for (let i = 0; i < triples.length; i += 3) {
    if (known.has(triples[i]!, triples[i + 1]!, triples[i + 2]!)) continue;
    beyond.set(triples.subarray(i, i + 3), count);
    count += 3;
  }
  return beyond.slice(0, count);
}
