import { createKnowledgeGraph } from '@fuzzqe/core';
import { parseQueryText } from '@fuzzqe/core/query';
import { defaultWeights } from '@fuzzqe/evidence';
import { createVocabulary, type Provenances } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { openGraphEngine } from './index.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: named('Ann', 'Bob', 'Carl', 'Dora'),
  relations: named('knows'),
});
const triples = Int32Array.of(0, 0, 1, 0, 0, 2, 0, 0, 3);
const facts = createKnowledgeGraph({ entityCount: 4, relationCount: 2, triples });
const evidence = { weights: defaultWeights(2), rules: { relationCount: 2, rules: [] } };
const provenances: Provenances = {
  stated: [{ source: 'atlas', from: '1990', confidence: 0.75 }, { date: '2020' }],
  triples: Int32Array.of(0, 0, 1, 0, 0, 2, 3, 0, 0),
  places: Int32Array.of(0, 1, 0),
};
const query = parseQueryText('project(knows, Ann)', vocabulary);

describe('what data say of facts', () => {
  it('is shown, and their confidences are degrees', async () => {
    const engine = await openGraphEngine({ vocabulary, facts, evidence, provenances });
    const { answers } = await engine.answer(query, { explain: true });
    const of = (key: string) => answers.find((answer) => answer.key === key)!;
    expect(of('Bob')).toMatchObject({ degree: 0.75, state: 'recorded' });
    expect(of('Bob').links![0]!.provenance).toEqual({ source: 'atlas', from: '1990', confidence: 0.75 });
    expect(of('Carl')).toMatchObject({ degree: 1, state: 'recorded' });
    expect(of('Carl').links![0]!.provenance).toEqual({ date: '2020' });
    expect(of('Dora').links![0]).not.toHaveProperty('provenance');
    // The other way round, and not of a link that is no fact.
    expect(engine.provenanceOf(1, 1, 0)).toMatchObject({ source: 'atlas' });
    expect(engine.facts.has(3, 0, 0)).toBe(false);
    expect(engine.provenanceOf(3, 0, 0)).toBeUndefined();
    const page = await engine.describeEntity(0);
    const shown = page.relations.results[0]!.recorded.results.map(({ provenance }) => provenance);
    expect(shown).toContainEqual({ source: 'atlas', from: '1990', confidence: 0.75 });
    await engine.close();
    const plain = await openGraphEngine({ vocabulary, facts, evidence });
    expect((await plain.answer(query)).answers.map(({ degree }) => degree)).toEqual([1, 1, 1]);
    await plain.close();
  });

  it('gives way to what a change says', async () => {
    const engine = await openGraphEngine({ vocabulary, facts, evidence, provenances });
    engine.tellProvenance((_head, _relation, tail) => (tail === 1 ? { source: 'ann' } : undefined));
    expect(engine.provenanceOf(0, 0, 1)).toEqual({ source: 'ann' });
    expect(engine.provenanceOf(0, 0, 2)).toEqual({ date: '2020' });
    // A change that says nothing else sets another confidence and other bounds.
    engine.tellProvenance(() => undefined);
    await engine.changeFacts({ added: Int32Array.of(0, 0, 1) });
    expect(engine.provenanceOf(0, 0, 1)).toEqual({ source: 'atlas' });
    const { answers } = await engine.answer(query);
    expect(answers.map(({ degree }) => degree)).toEqual([1, 1, 1]);
    await engine.changeFacts({ removed: Int32Array.of(0, 0, 1) });
    expect(engine.provenanceOf(0, 0, 1)).toBeUndefined();
    await engine.close();
  });
});
