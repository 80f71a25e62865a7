import { structureNames } from '@fuzzqe/core/query';
import { openEngine, planKinds, type SessionFactory, type TensorValues } from '@fuzzqe/engine';
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
  const allFailedRows = async (sessions: SessionFactory): Promise<string[]> => {
    const engine = await openEngine({ source: bundle.source, sessions });
    const cell = await compareGolden(engine, bundle.golden);
    const failed = failedPlans(cell);
    expect(cell.passed).toBe(failed.length === 0);
    return failed;
  };
  const isBest = (row: string): boolean => row.endsWith(' by best');
  /** Without the best of sets alone, for which some graphs may not have to run. */
  const failedRows = async (sessions: SessionFactory): Promise<string[]> =>
    (await allFailedRows(sessions)).filter((row) => !isBest(row));

  it('pass what computes the same, each compared by every kind of plan and as a fuzzy set', async () => {
    const engine = await openEngine({ source: bundle.source, sessions: reference });
    const cell = await compareGolden(engine, bundle.golden);
    const embedding = 3 * 4 * structureNames.length;
    const sets = bundle.golden.cases.filter((entry) => entry.sets !== null).length;
    expect(cell).toMatchObject({
      runtime: 'float64 reference',
      profile: 'fp32',
      passed: true,
      compared: embedding + 2 * sets,
      modes: {
        embedding: { compared: embedding, sameRanking: embedding },
        sets: { compared: 2 * sets, sameRanking: 2 * sets },
      },
      failures: [],
    });
    expect(sets).toBeGreaterThan(2 * structureNames.length);
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
    expect(failed.filter((row) => !row.endsWith('sets'))).toHaveLength(4 * structureNames.length);
    expect(failed).toContain('1p by sets');
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
    // Sets take none from a graph.
    expect(await failedRows(dropped)).toEqual(
      ['2in', '3in', 'inp', 'pin', 'pni'].map((name) => `${name} by operators`),
    );
  });

  it('notice scores of links that differ, in every fuzzy set and in no embedding', async () => {
    const scaled = withGraph(reference, 'links', (run) => async (feeds) => {
      const { dims, data } = (await run(feeds))['scores']!;
      return { scores: { dims, data: Float32Array.from(data, (score) => 0.9 * score) } };
    });
    const failed = await allFailedRows(scaled);
    expect(failed.filter((row) => !isBest(row))).toEqual(structureNames.map((name) => `${name} by sets`));
    expect(failed).toContain('1p by best');
  });

  it('notice links of another relation, in every fuzzy set and in no embedding', async () => {
    const other = withGraph(reference, 'links', (run) => (feeds) => {
      const { dims, data } = feeds['relations']!;
      return run({ ...feeds, relations: { dims, data: data.map((relation) => relation ^ 1) } });
    });
    expect(await failedRows(other)).toEqual(structureNames.map((name) => `${name} by sets`));
  });

  it('notice a ranking that is not the best k', async () => {
    const shifted = withGraph(reference, 'rank', (run) => async (feeds) => {
      const outputs = await run({ ...feeds, k: { dims: [1], data: feeds['k']!.data.map((k) => k + 1) } });
      const tail = (name: string) => ({ dims: [1, 10], data: outputs[name]!.data.slice(1) });
      return { ...outputs, ids: tail('ids'), scores: tail('scores') };
    });
    expect(await failedRows(shifted)).toEqual(
      planKinds.flatMap((by) => structureNames.map((name) => `${name} by ${by}`)),
    );
  });

  it('fail scores and degrees that are no numbers', async () => {
    const broken = withGraph(reference, 'rank', (run) => async (feeds) => {
      const outputs = await run(feeds);
      return { ...outputs, scores: { dims: [1, 10], data: new Float32Array(10).fill(Number.NaN) } };
    });
    expect(await failedRows(broken)).toHaveLength(4 * structureNames.length);
    const empty = withGraph(reference, 'links', (run) => async (feeds) => {
      const { dims, data } = (await run(feeds))['scores']!;
      return { scores: { dims, data: new Float32Array(data.length).fill(Number.NaN) } };
    });
    expect(await failedRows(empty)).toEqual(structureNames.map((name) => `${name} by sets`));
  });
});
