import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { someWeights } from '../testing/some-links.ts';
import { readEvidence, writeEvidence } from './evidence-text.ts';
import { featureCount } from './features.ts';

const weights = someWeights(createRandom('evidence'), 4, { temperature: 2.5, typeRelations: [0, 2] });
const text = writeEvidence(weights);
const file = (): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
const rows = (): number[][] => file()['weights'] as number[][];

describe('weights of evidence as text', () => {
  it('are read as they were written, with nine digits', () => {
    const { temperature, typeRelations, relations } = readEvidence(text, 4);
    expect({ temperature, typeRelations }).toEqual({ temperature: 2.5, typeRelations: [0, 2] });
    expect(relations).toHaveLength(4 * featureCount);
    relations.forEach((weight, i) => {
      expect(Math.abs(weight - weights.relations[i]!)).toBeLessThan(1e-8);
    });
    expect(writeEvidence({ temperature, typeRelations, relations })).toBe(text);
    expect(readEvidence(writeEvidence({ ...weights, temperature: null }), 4).temperature).toBeNull();
  });

  it('are a line a relation', () => {
    expect(text.trimEnd().split('\n')).toHaveLength(4 + 2);
  });

  it.each<[string, () => unknown, string]>([
    ['no JSON', () => '{"format":', 'expected JSON of weights of evidence'],
    ['a list', () => [], 'evidence.json'],
    ['another format', () => ({ ...file(), format: 'fuzzqe-rules' }), 'format'],
    ['another version', () => ({ ...file(), version: 2 }), 'version'],
    ['a temperature of 0', () => ({ ...file(), temperature: 0 }), 'temperature'],
    ['a type relation below 0', () => ({ ...file(), typeRelations: [-1] }), 'typeRelations'],
    [
      'a type relation of another graph',
      () => ({ ...file(), typeRelations: [4] }),
      'type relations in [0, 4)',
    ],
    [
      'an unknown feature',
      () => ({ ...file(), features: [...(file()['features'] as string[]).slice(1), 'luck'] }),
      'features',
    ],
    [
      'features in another order',
      () => ({ ...file(), features: (file()['features'] as string[]).toReversed() }),
      'expected the features constant',
    ],
    [
      'a relation too few',
      () => ({ ...file(), weights: rows().slice(1) }),
      'expected weights of 4 relations, got 3',
    ],
    ['a weight too few', () => ({ ...file(), weights: rows().map((row) => row.slice(1)) }), 'weights'],
    [
      'a weight too many',
      () => ({ ...file(), weights: rows().map((row, i) => (i === 2 ? [...row, 1] : row)) }),
      'expected 12 weights a relation, got 13',
    ],
    [
      'a weight that is text',
      () => ({ ...file(), weights: rows().map((row) => ['1', ...row.slice(1)]) }),
      'weights',
    ],
    [
      'a weight that is null',
      () => ({ ...file(), weights: rows().map((row) => [null, ...row.slice(1)]) }),
      'weights',
    ],
    [
      'a weight beyond numbers',
      () => text.replace(/"weights":\[\n\[-?[0-9.]+/, '"weights":[[1e999'),
      'weights',
    ],
    ['a field that is not known', () => ({ ...file(), more: 1 }), 'more'],
  ])('are refused as %s', (_, make, message) => {
    const made = make();
    const given = typeof made === 'string' ? made : JSON.stringify(made);
    expect(() => readEvidence(given, 4)).toThrow(
      expect.objectContaining({ name: 'FuzzError', code: 'bundle' }),
    );
    expect(() => readEvidence(given, 4)).toThrow(message);
  });
});
