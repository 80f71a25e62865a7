import { tinyGraph } from '@fuzzqe/data/testing';
import { describe, expect, it } from 'vitest';
import { createBatchLayout } from '../step/batch-layout.ts';
import { stepProgram } from '../step/step-program.ts';
import { tinyConfig, tinyModel, tinyQueries } from '../testing/tiny-run.ts';
import { streamBatches } from './batch-prefetch.ts';
import { createBatchSource } from './batch-source.ts';

describe('a stream of batches', () => {
  it('gives the feeds of each step as the source does, from any step on', async () => {
    const config = tinyConfig({ dropout: { input: 0.2, output: 0.1 } });
    const model = tinyModel(config);
    const graph = tinyGraph();
    const layout = createBatchLayout([
      { structure: '1p', count: 5 },
      { structure: '2in', count: 3 },
    ]);
    const shape = stepProgram(model, config, layout);
    const material = { graph, queries: await tinyQueries(graph) };
    const source = createBatchSource(model, config, shape, material);
    const stream = streamBatches(model, config, { layout, negatives: shape.negatives }, material);
    for (const step of [4, 5, 6, 7, 8]) expect(await stream.feeds(step)).toEqual(source.feeds(step));
    expect(source.feeds(9)).not.toEqual(source.feeds(8));
    expect(stream.waited).toBeGreaterThanOrEqual(0);
    await stream.close();
  });

  it.each([
    ['ends', 'process.exit(0)', /the thread that draws batches failed: it exited with code 0/],
    ['fails', 'throw new Error("out of order")', /the thread that draws batches failed: out of order/],
  ])('says so when its thread %s, for every step that is asked for', async (_, script, message) => {
    const config = tinyConfig();
    const model = tinyModel(config);
    const graph = tinyGraph();
    const layout = createBatchLayout([{ structure: '1p', count: 5 }]);
    const shape = { layout, negatives: stepProgram(model, config, layout).negatives };
    const material = { graph, queries: await tinyQueries(graph) };
    const entry = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
    const stream = streamBatches(model, config, shape, material, { entry });
    const refused = { code: 'runtime', message: expect.stringMatching(message) };
    for (const step of [0, 1]) await expect(stream.feeds(step)).rejects.toMatchObject(refused);
    await stream.close();
  });

  it('refuses a batch of queries that were not sampled, before anything runs', () => {
    const config = tinyConfig();
    const layout = createBatchLayout([{ structure: '2in', count: 3 }]);
    const shape = { layout, negatives: 24 };
    const make = (): unknown =>
      streamBatches(tinyModel(config), config, shape, { graph: tinyGraph(), queries: [] });
    expect(make).toThrow(/asks for 2in queries, but none were sampled/);
  });
});
