import { createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { parseQueryText } from '@fuzzqe/core/query';
import { createDataset, loadCountries } from '@fuzzqe/data';
import { openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights, type LinkWeights } from '@fuzzqe/evidence';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { fitGraphEvidence } from './fit-graph-evidence.ts';

const named = (count: number, letter: string) =>
  Array.from({ length: count }, (_, i) => ({ key: `${letter}${i}`, label: `${letter}${i}` }));

/** `couples` pairs that are spouses in both directions, each of them with a home that both have. */
function couples(count: number): {
  readonly vocabulary: ReturnType<typeof createVocabulary>;
  readonly facts: KnowledgeGraph;
} {
  const vocabulary = createVocabulary({ entities: named(3 * count, 'e'), relations: named(2, 'r') });
  const triples = Array.from({ length: count }, (_, i) => {
    const [one, other, home] = [3 * i, 3 * i + 1, 3 * i + 2];
    return [one, 0, other, other, 0, one, one, 2, home, other, 2, home];
  });
  const facts = createKnowledgeGraph({
    entityCount: 3 * count,
    relationCount: 4,
    triples: Int32Array.from(triples.flat()),
  });
  return { vocabulary, facts };
}

const isUsual = ({ relations, typeRelations }: LinkWeights): boolean =>
  relations.every((weight, at) => weight === defaultWeights(4, { typeRelations }).relations[at]);

describe('the evidence of a graph without a model', () => {
  it('is fitted on facts that are hidden for the fit, and rules are mined from all facts', async () => {
    const graph = couples(80);
    const { weights, rules, fitted, reliability } = await fitGraphEvidence({ ...graph, rounds: 6 });
    expect(weights.temperature).toBeNull();
    expect(fitted!.found).toBeGreaterThan(0);
    expect(fitted!.knownShare).toBe(1);
    expect(isUsual(weights)).toBe(false);
    expect(reliability).toBeNull();
    const sameHome = rules.rules.find(({ kind, relation }) => kind === 'path' && relation === 0);
    // All 160 facts of the relation are recorded when the rules are mined.
    expect(sameHome!.hits).toBe(160);
  });

  it('finds a fact that is missing', async () => {
    const { vocabulary, facts } = couples(80);
    const kept = facts.forwardTriples().filter((_, i, all) => {
      const at = i - (i % 3);
      return !(all[at] === 0 && all[at + 1] === 0);
    });
    const without = createKnowledgeGraph({ entityCount: 240, relationCount: 4, triples: kept });
    const evidence = await fitGraphEvidence({ vocabulary, facts: without, rounds: 1 });
    const engine = await openGraphEngine({ vocabulary, facts: without, evidence });
    const { answers, suggestions } = await engine.answer(parseQueryText('project(r0, e0)', vocabulary));
    expect([...answers, ...suggestions][0]).toMatchObject({ key: 'e1', state: 'predicted' });
  });

  it('is the same for the same seed, and another for another', async () => {
    const graph = couples(60);
    const fitBy = (seed: string) =>
      fitGraphEvidence({ ...graph, rounds: 1, threads: 1, random: createRandom(seed) });
    const [first, second, other] = [await fitBy('a'), await fitBy('a'), await fitBy('b')];
    expect(second).toEqual(first);
    expect(other.weights).not.toEqual(first.weights);
  });

  it('is the usual one for few facts, and says so', async () => {
    const one = {
      vocabulary: createVocabulary({ entities: named(2, 'e'), relations: named(1, 'r') }),
      facts: createKnowledgeGraph({ entityCount: 2, relationCount: 2, triples: Int32Array.of(0, 0, 1) }),
    };
    const { weights, rules, fitted } = await fitGraphEvidence({ ...one, seconds: 1 });
    expect([fitted, rules.rules]).toEqual([null, []]);
    expect(weights).toEqual(defaultWeights(2));
    const few = await fitGraphEvidence({ ...couples(10), seconds: 1 });
    expect([few.fitted, isUsual(few.weights)]).toEqual([null, true]);
    const engine = await openGraphEngine({ ...one, evidence: { weights, rules, fitted } });
    expect(engine.warnings.join()).toContain('too few facts');
  });

  it('is fitted on the validation facts of a data set, and judged on its test facts if that is asked for', async () => {
    const dataset = loadCountries({ seed: 1 });
    const { fitted, weights, reliability } = await fitGraphEvidence({ dataset, rounds: 1, judge: true });
    expect(fitted!.knownShare).toBeCloseTo(
      dataset.valid.length / (dataset.valid.length + dataset.test.length),
      9,
    );
    expect(weights.temperature).toBeNull();
    expect(reliability!.links.ece).toBeLessThan(0.05);
    const plain = createDataset({ ...dataset, valid: new Int32Array(), test: new Int32Array() });
    expect((await fitGraphEvidence({ dataset: plain, rounds: 1 })).fitted!.knownShare).toBe(1);
  }, 60_000);

  it('refuses what names no graph or two, and stops when it is told to', async () => {
    const graph = couples(10);
    const dataset = loadCountries({ seed: 1 });
    await expect(fitGraphEvidence({})).rejects.toMatchObject({ code: 'usage' });
    await expect(fitGraphEvidence({ ...graph, dataset })).rejects.toMatchObject({ code: 'usage' });
    await expect(fitGraphEvidence({ ...graph, seconds: -1 })).rejects.toMatchObject({ code: 'range' });
    const signal = AbortSignal.abort();
    await expect(fitGraphEvidence({ ...graph, signal })).rejects.toMatchObject({ code: 'interrupted' });
  });
});
