import { createRandom, createVocabulary } from '@fuzzqe/core';
import { createDataset, type Dataset, splitTriples } from '../datasets/index.ts';
import { tinyGraph } from './tiny-run.ts';

/** The graph of a tiny run as a data set, split by the seed. */
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
