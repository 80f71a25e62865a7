import { createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { createDataset, type Dataset } from '../datasets/dataset.ts';
import { splitTriples } from '../datasets/split.ts';

/** A graph of 24 entities and 3 relations, small enough for the float64 reference and dense enough for 3in queries. */
export function tinyGraph(): KnowledgeGraph {
  const triples: number[] = [];
  for (let i = 0; i < 24; i += 1)
    for (const step of [1, 2, 5])
      triples.push(i, 0, (i + step) % 24, i, 2, (i * 5 + step) % 24, i, 4, (i * step) % 8);
  return createKnowledgeGraph({ entityCount: 24, relationCount: 6, triples: Int32Array.from(triples) });
}

/** The tiny graph as a data set, split by the seed. */
export function tinyDataset(name: string, seed: number): Dataset {
  const names = (count: number, kind: string): { key: string; label: string }[] =>
    Array.from({ length: count }, (_, i) => ({ key: `${kind}:${i}`, label: `${kind} ${i}` }));
  const vocabulary = createVocabulary({ entities: names(24, 'entity'), relations: names(3, 'relation') });
  const parts = splitTriples(tinyGraph().forwardTriples(), {
    entityCount: 24,
    valid: 0.2,
    test: 0.1,
    random: createRandom('split', seed),
  });
  return createDataset({ name, licence: 'CC0-1.0', description: '', vocabulary, ...parts });
}
