import { readFile } from 'node:fs/promises';
import { createRandom } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/core/model';
import { loadCountries, sampleQuerySets } from '@fuzzqe/data';
import {
  createBatchLayout,
  createBatchSource,
  gemmRate,
  initialState,
  ortCpuRuntime,
  programCost,
  stepProgram,
  type TrainingConfig,
} from '@fuzzqe/train';
import { it } from 'vitest';

/**
 * Training steps per second on Countries, and their GFLOP/s beside ONNX Runtime's own matrix product in the same run.
 *
 * Only matrix products are counted as work, so the share says how much of a step they could be at best.
 */
it('measures training steps', { timeout: 600_000 }, async () => {
  const preset = new URL('../packages/train/src/presets/countries.json', import.meta.url);
  const { training: config } = JSON.parse(await readFile(preset, 'utf8')) as { training: TrainingConfig };
  const dataset = loadCountries({ seed: config.seed });
  const graph = dataset.graphs().train;
  const model: ModelConfig = { ...config.model, entities: graph.entityCount, relations: graph.relationCount };
  const { train: queries } = await sampleQuerySets(dataset, {
    sizes: { train: 500, valid: 1, test: 1 },
    random: createRandom('bench'),
  });
  const groups = Object.entries(config.batch).map(([structure, count]) => ({
    structure: structure as '1p',
    count,
  }));
  const step = stepProgram(model, config, createBatchLayout(groups));
  const source = createBatchSource(model, config, step, { graph, queries });
  const batches = Array.from({ length: 60 }, (_, i) => source.feeds(i));
  const flop = median(batches.map((feeds) => programCost(step.program, feeds).matmulFlop));
  const rows: object[] = [];
  for (const threads of [1, 2]) {
    const session = await ortCpuRuntime({ threads }).open(step, initialState(model, config));
    const drawing: number[] = [];
    const stepping: number[] = [];
    for (let i = 0; i < 120; i += 1) {
      const start = performance.now();
      const feeds = source.feeds(i);
      const drawn = performance.now();
      await session.step(feeds);
      if (i >= 20) {
        drawing.push(drawn - start);
        stepping.push(performance.now() - drawn);
      }
    }
    await session.close();
    const { gflops: gemm } = await gemmRate(ortCpuRuntime({ threads }), 2);
    const rate = flop / median(stepping) / 1e6;
    rows.push({
      threads,
      'batch ms': median(drawing).toFixed(2),
      'step ms': median(stepping).toFixed(2),
      'steps/s': (1000 / (median(drawing) + median(stepping))).toFixed(0),
      'MFLOP/step': (flop / 1e6).toFixed(0),
      'GFLOP/s': rate.toFixed(1),
      'GEMM GFLOP/s': gemm.toFixed(0),
      share: `${((100 * rate) / gemm).toFixed(0)} %`,
    });
  }
  console.table(rows);
});

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
