import { readFile } from 'node:fs/promises';
import { createProgram, createRandom, input, type ModelConfig, matmul, type Program } from '@fuzzqe/core';
import { emitOnnx } from '@fuzzqe/onnx';
import {
  createBatchSource,
  initialState,
  layOutBatch,
  loadCountries,
  ortCpuRuntime,
  sampleQuerySets,
  stepProgram,
  type TrainingConfig,
} from '@fuzzqe/train';
import * as ort from 'onnxruntime-node';
import { it } from 'vitest';

/**
 * Training steps per second on Countries, and their GFLOP/s beside ONNX Runtime's own matrix product in the same run.
 *
 * Only matrix products are counted as work, so the share says how much of a step they could be at best.
 */
it('measures training steps', { timeout: 600_000 }, async () => {
  const preset = new URL('../packages/cli/src/configs/countries.json', import.meta.url);
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
  const step = stepProgram(model, config, layOutBatch(groups));
  const source = createBatchSource(model, config, step, { graph, queries });
  const batches = Array.from({ length: 60 }, (_, i) => source.feeds(i));
  const flop = median(batches.map((feeds) => matmulFlop(step.program, feeds)));
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
    const gemm = await gemmRate(threads);
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

/** Floating-point operations of the matrix products of one step. */
function matmulFlop(
  program: Program,
  feeds: Readonly<Record<string, { readonly shape: readonly number[] }>>,
): number {
  const extents = new Map<string, number>();
  for (const { attributes, shape } of program.inputs)
    shape.forEach((dim, axis) => {
      if (typeof dim === 'string') extents.set(dim, feeds[attributes.name]!.shape[axis]!);
    });
  let flop = 0;
  for (const node of program.nodes)
    if (node.op === 'matmul') {
      const sizes = [...node.shape, node.inputs[0]!.shape.at(-1)!];
      flop +=
        2 *
        sizes.reduce<number>(
          (product, dim) => product * (typeof dim === 'number' ? dim : extents.get(dim)!),
          1,
        );
    }
  return flop;
}

/** GFLOP/s of a 1024 × 1024 × 1024 matrix product. */
async function gemmRate(threads: number): Promise<number> {
  const size = 1024;
  const [a, b] = [input('a', 'float', [size, size]), input('b', 'float', [size, size])];
  const program = createProgram({ name: 'gemm', inputs: [a, b], outputs: { y: matmul(a, b) } });
  const session = await ort.InferenceSession.create(emitOnnx(program), { intraOpNumThreads: threads });
  const random = createRandom('gemm');
  const matrix = (): ort.Tensor =>
    new ort.Tensor(
      'float32',
      Float32Array.from({ length: size * size }, () => random.uniform()),
      [size, size],
    );
  const feeds = { a: matrix(), b: matrix() };
  const times: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const start = performance.now();
    await session.run(feeds);
    times.push(performance.now() - start);
  }
  await session.release();
  return (2 * size ** 3) / median(times.slice(4)) / 1e6;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
