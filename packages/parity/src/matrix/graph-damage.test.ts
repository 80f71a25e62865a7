import { structureNames } from '@fuzzqe/core/query';
import { openEngine, type SessionFactory, type TensorValues } from '@fuzzqe/engine';
import { type MemoryBundle, memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareGolden, failedPlans } from '../testing/compare-golden.ts';

/** A runtime in which one graph does something else. */
function withGraph(
  factory: SessionFactory,
  graphName: string,
  change: (
    run: (feeds: TensorValues) => Promise<TensorValues>,
  ) => (feeds: TensorValues) => Promise<TensorValues>,
): SessionFactory {
  return {
    runtime: factory.runtime,
    async open(graph, source) {
      const session = await factory.open(graph, source);
      if (!graph.path.endsWith(`/${graphName}.onnx`)) return session;
      return { run: change((feeds) => session.run(feeds)), close: () => session.close() };
    },
  };
}

describe('golden cases', () => {
  let bundle: MemoryBundle;
  let reference: SessionFactory;
  beforeAll(async () => {
    bundle = await memoryBundle();
    reference = referenceSessions(bundle.config, bundle.parameters);
  });
  const failedRows = async (sessions: SessionFactory): Promise<string[]> => {
    const engine = await openEngine({ source: bundle.source, sessions });
    const cell = await compareGolden(engine, bundle.golden);
    const failed = failedPlans(cell);
    expect(cell.passed).toBe(failed.length === 0);
    return failed;
  };

  it('pass what computes the same, each compared by every kind of plan', async () => {
    const engine = await openEngine({ source: bundle.source, sessions: reference });
    const cell = await compareGolden(engine, bundle.golden);
    expect(cell).toMatchObject({
      runtime: 'float64 reference',
      profile: 'fp32',
      passed: true,
      compared: 3 * 4 * structureNames.length,
      sameRanking: 3 * 4 * structureNames.length,
      failures: [],
    });
  });

  it('fail a structure without a golden case', async () => {
    const engine = await openEngine({ source: bundle.source, sessions: reference });
    const cases = bundle.golden.cases.filter(({ structure }) => structure !== 'pni');
    const cell = await compareGolden(engine, { ...bundle.golden, cases });
    expect({ passed: cell.passed, failures: cell.failures }).toEqual({
      passed: false,
      failures: [
        expect.objectContaining({ structure: 'pni', message: expect.stringMatching(/no golden case/) }),
      ],
    });
  });

  it('notice weights that differ, in every structure', async () => {
    const entities = bundle.parameters.entities.map((value) => value * 1.001);
    const failed = await failedRows(referenceSessions(bundle.config, { ...bundle.parameters, entities }));
    expect(failed).toHaveLength(4 * structureNames.length);
  });

  it('notice relations that are swapped, and names the structure', async () => {
    const swapped = withGraph(reference, 'pi', (run) => (feeds) => {
      const relations = feeds['relations']!;
      return run({ ...feeds, relations: { ...relations, data: relations.data.toReversed() } });
    });
    expect(await failedRows(swapped)).toEqual(['pi by structure']);
  });

  it('notice a program that drops a negation, and an edge graph that runs another structure', async () => {
    const positive = withGraph(reference, 'program', (run) => (feeds) => {
      const terms = feeds['answerTerms']!;
      return run({
        ...feeds,
        answerTerms: { ...terms, data: terms.data.map((x, i) => (i % 3 === 1 ? 0 : x)) },
      });
    });
    expect(await failedRows(positive)).toEqual(
      ['2in', '3in', 'pin', 'pni'].map((name) => `${name} by program`),
    );
    const other = withGraph(reference, 'edge', (run) => (feeds) => {
      const { dims, data } = feeds['structure']!;
      const [up, ip] = [structureNames.indexOf('up'), structureNames.indexOf('ip')];
      return run({ ...feeds, structure: { dims, data: data.map((at) => (at === up ? ip : at)) } });
    });
    expect(await failedRows(other)).toEqual(['up by edge']);
  });

  it('notice a negation that is dropped, in the structures that have one', async () => {
    const dropped = withGraph(reference, 'negation', () => async ({ operand }) => ({ embedding: operand! }));
    expect(await failedRows(dropped)).toEqual(
      ['2in', '3in', 'inp', 'pin', 'pni'].map((name) => `${name} by operators`),
    );
  });

  it('notice a ranking that is not the best k', async () => {
    const shifted = withGraph(reference, '2u', (run) => async (feeds) => {
      const outputs = await run({ ...feeds, k: { dims: [1], data: feeds['k']!.data.map((k) => k + 1) } });
      const tail = (name: string) => ({ dims: [1, 10], data: outputs[name]!.data.slice(1) });
      return { ...outputs, ids: tail('ids'), scores: tail('scores') };
    });
    expect(await failedRows(shifted)).toEqual(['2u by structure']);
  });

  it('fail scores that are no numbers', async () => {
    const broken = withGraph(reference, '1p', (run) => async (feeds) => {
      const outputs = await run(feeds);
      return { ...outputs, scores: { dims: [1, 10], data: new Float32Array(10).fill(Number.NaN) } };
    });
    expect(await failedRows(broken)).toEqual(['1p by structure']);
  });
});
