import { createProgram, matmul, parameter, slice, sum } from '@fuzzqe/core/tensor';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import { readState, stepsAtOnce, type TrainingRuntime } from '../runtimes/training-runtime.ts';
import { learnedNames } from '../step/step-program.ts';
import { type SampleStep, sampleStep, tinySize } from './sample-step.ts';

/**
 * How far a device may be from the CPU after one step: the loss, and each gradient relative to its largest number. TF32 has 13 bits
 * less of every factor: a gradient on an H100 was 6e-3 apart.
 */
const selfCheckTolerances = {
  float32: { loss: 1e-4, gradient: 2e-3 },
  tf32: { loss: 1e-2, gradient: 3e-2 },
} as const;

/**
 * Compares one step on a device with the same step on the CPU. Gives what differs, or undefined where all is well.
 *
 * Compared are the loss and AdamW's sums of the gradients, which after one step are the gradients; less closely where matrices are
 * multiplied in TF32.
 */
export async function selfCheck(
  runtime: TrainingRuntime,
  { tf32 = false }: { readonly tf32?: boolean } = {},
): Promise<string | undefined> {
  const tolerance = selfCheckTolerances[tf32 ? 'tf32' : 'float32'];
  const { config, step, state, source } = await sampleStep(tinySize);
  const feeds = source.feeds(0);
  const names = learnedNames(config).map((name) => `${name}.sum`);
  const run = async (on: TrainingRuntime) => {
    const session = await on.open(step, state);
    try {
      return { loss: await session.step(feeds), sums: await readState(session, names) };
    } finally {
      await session.close();
    }
  };
  const [found, expected] = [await run(runtime), await run(ortCpuRuntime({ threads: 1 }))];
  if (!(Math.abs(found.loss - expected.loss) <= tolerance.loss * (1 + Math.abs(expected.loss))))
    return `one step gives a loss of ${found.loss}, on the CPU ${expected.loss}`;
  for (const name of names) {
    const [a, b] = [found.sums[name]!, expected.sums[name]!];
    const largest = b.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const apart = a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
    if (!(apart <= tolerance.gradient * largest + 1e-7))
      return `one step gives ${name} that is ${apart} from the CPU's, whose largest number is ${largest}`;
  }
  return undefined;
}

/** How fast a device multiplies matrices. */
export interface GemmRate {
  /** Billions of floating-point operations a second. */
  readonly gflops: number;
  /** Rows and columns of the matrices. */
  readonly size: number;
}

const products = 4;

/**
 * Multiplies square float32 matrices for about `seconds`, through the same runtime that trains, with the matrices on
 * the device: larger ones as long as they are quick. The best run counts, because others share the machine.
 */
export async function gemmRate(runtime: TrainingRuntime, seconds: number): Promise<GemmRate> {
  const end = performance.now() + 1000 * seconds;
  let best: GemmRate = { gflops: 0, size: 0 };
  for (let size = 256; size <= 8192; size *= 2) {
    const session = await runtime.open({ program: gemmProgram(size) }, gemmState(size));
    // A device that copies its state for each run is not to be measured by the copies.
    const { count, run } = stepsAtOnce(session);
    const steps = Array.from({ length: count }, () => ({}));
    try {
      await run(steps); // shaders are compiled and matrices copied
      let shortest = Number.POSITIVE_INFINITY;
      const last = performance.now() + (end - performance.now()) / 2;
      do {
        const start = performance.now();
        await run(steps);
        shortest = Math.min(shortest, performance.now() - start);
      } while (performance.now() < last && shortest > 20);
      const gflops = (count * products * 2 * size ** 3) / shortest / 1e6;
      if (gflops > best.gflops) best = { gflops, size };
      // The next size takes eight times as long, and is run twice.
      if (performance.now() + 20 * shortest > end) return best;
    } finally {
      await session.close();
    }
  }
  return best;
}

/** x ← x·w·w·w·w, where w has the length of x unchanged on average. */
function gemmProgram(size: number) {
  const [x, w] = [parameter('x', [size, size]), parameter('w', [size, size])];
  let product = x;
  for (let i = 0; i < products; i += 1) product = matmul(product, w);
  return createProgram({
    name: `gemm-${size}`,
    inputs: [],
    outputs: { loss: sum(slice(slice(product, 0, 1, 1), 0, 1), [0, 1]), 'next.x': product, 'next.w': w },
  });
}

function gemmState(size: number): Record<string, Float32Array> {
  const noise = (scale: number): Float32Array => {
    let seed = 1;
    return Float32Array.from({ length: size * size }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return scale * Math.sqrt(12) * (seed / 2_147_483_647 - 0.5);
    });
  };
  return { x: noise(1), w: noise(1 / Math.sqrt(size)) };
}

/** The time of a step. */
export interface StepTime {
  /** Median. */
  readonly milliseconds: number;
  readonly steps: number;
}

/** Runs a step over and over for about `seconds`, after two runs that do not count. */
export async function stepTime(
  runtime: TrainingRuntime,
  { step, state, source }: SampleStep,
  seconds: number,
): Promise<StepTime> {
  const session = await runtime.open(step, state);
  try {
    const { count, run } = stepsAtOnce(session);
    const timed = async (turn: number): Promise<number> => {
      const feeds = Array.from({ length: count }, (_, i) => source.feeds(turn * count + i));
      const start = performance.now();
      await run(feeds);
      return (performance.now() - start) / count;
    };
    for (let turn = 0; turn < 2; turn += 1) await timed(turn);
    const times: number[] = [];
    const end = performance.now() + 1000 * seconds;
    do times.push(await timed(2 + times.length));
    while (performance.now() < end);
    times.sort((a, b) => a - b);
    return { milliseconds: times[times.length >> 1]!, steps: times.length * count };
  } finally {
    await session.close();
  }
}
