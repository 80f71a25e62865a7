import { createKnowledgeGraph } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { createDataset } from './dataset.ts';

const entities = ['a', 'b', 'c'].map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({ entities, relations: [{ key: 'r', label: 'r' }] });
const datasetOf = (test: readonly number[]) =>
  createDataset({
    name: 'tiny',
    licence: 'MIT',
    description: '',
    vocabulary,
    train: Int32Array.of(0, 0, 1),
    valid: new Int32Array(0),
    test: Int32Array.from(test),
  });

describe('the graphs of a data set', () => {
  it('are made when they are asked for, and no sooner', () => {
    const graphs = datasetOf([0, 0, 9]).graphs();
    expect(graphs.train.edgeCount).toBe(2);
    expect(() => graphs.full).toThrow('expected an id in [0, 3), got 9');
  });

  it('are made once, and are one where nothing is held out', () => {
    const dataset = datasetOf([1, 0, 2]);
    expect(dataset.graphs().full).toBe(dataset.graphs().full);
    expect(dataset.graphs().full.edgeCount).toBe(4);
    expect(dataset.graphs().trainValid).toBe(dataset.graphs().train);
  });

  it('have the facts of all parts, in whatever order these stand', () => {
    const facts = [0, 0, 1, 0, 0, 2, 1, 0, 0, 2, 0, 1, 2, 0, 2];
    const expected = [
      ...createKnowledgeGraph({ entityCount: 3, relationCount: 2, triples: Int32Array.from(facts) }).index
        .tails,
    ];
    const of = (train: readonly number[], valid: readonly number[], test: readonly number[]) => {
      const parts = {
        train: Int32Array.from(train),
        valid: Int32Array.from(valid),
        test: Int32Array.from(test),
      };
      const { full } = createDataset({
        name: 'tiny',
        licence: 'MIT',
        description: '',
        vocabulary,
        ...parts,
      }).graphs();
      return [...full.index.tails];
    };
    expect(of(facts.slice(3, 9), [...facts.slice(0, 3), ...facts.slice(12)], facts.slice(9, 12))).toEqual(
      expected,
    );
    expect(of(facts.slice(6), facts.slice(0, 3), facts.slice(3, 6))).toEqual(expected);
    expect(of([...facts.slice(9), ...facts.slice(0, 3)], facts.slice(3, 6), facts.slice(3, 9))).toEqual(
      expected,
    );
  });
});
