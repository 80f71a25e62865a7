import { FuzzError } from '@fuzzqe/core';
import type * as ort from '@fuzzqe/ort';
import { cudaProblem, explainCudaError } from './cuda-problem.ts';
import { createHostState } from './host-state.ts';
import { feedTensor, hostTensor, openOrtSession } from './ort-session.ts';
import { stepsPerRun } from './steps-per-run.ts';
import {
  expectWholeTensors,
  type Feeds,
  type RunnableStep,
  stateShapes,
  type TrainingRuntime,
  type TrainingSession,
  type TrainingState,
} from './training-runtime.ts';
import { nameInStep, unrollProgram } from './unroll-program.ts';

/** How CUDA runs a step. */
export interface OrtCudaOptions {
  /**
   * Steps in one run of the graph: between them the state stays on the device, before and after them it is copied.
   * Default 16 to 96, by the size of the state.
   */
  readonly stepsPerRun?: number;
  /** Products of matrices in TF32: faster, with 10 bits of mantissa instead of 23. Default false. */
  readonly tf32?: boolean;
}

/**
 * Training on an NVIDIA graphics processor through onnxruntime-node's CUDA provider.
 *
 * TF32 is a setting of the whole process (NVIDIA_TF32_OVERRIDE), which the first session decides.
 *
 * @throws FuzzError `runtime` on opening, with what is missing and how to install it.
 * @example
 * const runtime = ortCudaRuntime({ tf32: true });
 */
export function ortCudaRuntime({ stepsPerRun: wanted, tf32 = false }: OrtCudaOptions = {}): TrainingRuntime {
  return {
    device: 'cuda',
    async open(step, state) {
      expectWholeTensors(step, 'cuda');
      stateShapes(step, state);
      const problem = cudaProblem();
      if (problem !== undefined) throw new FuzzError('runtime', problem.message, { hint: problem.hint });
      if (!tf32) process.env['NVIDIA_TF32_OVERRIDE'] = '0';
      try {
        const count = wanted ?? stepsPerRun(step.program);
        return await openUnrolled(step, state, { executionProviders: ['cuda'] }, count);
      } catch (cause) {
        const known = explainCudaError(String(cause));
        if (known === undefined) throw cause;
        throw new FuzzError('runtime', known.message, { hint: known.hint, cause });
      }
    },
  };
}

/**
 * A session that runs `most` steps in one graph, so that a provider without tensors of its own between runs
 * copies the state only once for all of them.
 */
export async function openUnrolled(
  step: RunnableStep,
  state: TrainingState,
  options: ort.InferenceSession.SessionOptions,
  most: number,
): Promise<TrainingSession> {
  const { parameter, output, advance, read, write } = createHostState(step, state);
  const sessions = new Map<number, Promise<ort.InferenceSession>>();
  /** Fewer steps, as before a validation, have a graph of their own, which is opened when it is first needed. */
  const sessionOf = (count: number): Promise<ort.InferenceSession> => {
    const known = sessions.get(count) ?? openOrtSession(unrollProgram(step.program, count), options);
    sessions.set(count, known);
    return known;
  };
  await sessionOf(most);

  const run = async (feeds: readonly Feeds[]): Promise<number[]> => {
    const session = await sessionOf(feeds.length);
    const given: Record<string, ort.Tensor> = {};
    const wanted: Record<string, ort.Tensor | null> = {};
    feeds.forEach((each, at) => {
      for (const { attributes } of step.program.inputs)
        given[nameInStep(attributes.name, at)] = feedTensor(each, attributes.name);
      wanted[nameInStep('loss', at)] = null;
    });
    for (const { attributes } of step.program.parameters) {
      const next = `next.${attributes.name}`;
      given[attributes.name] = hostTensor(parameter(attributes.name));
      wanted[next] = hostTensor(output(next)!);
    }
    const results = await session.run(given, wanted);
    advance(feeds.at(-1)!, {});
    return feeds.map((_, at) => (results[nameInStep('loss', at)]!.data as Float32Array)[0]!);
  };
  return {
    step: async (feeds) => (await run([feeds]))[0]!,
    multiStep: { count: most, run },
    read,
    write,
    async close() {
      for (const session of sessions.values()) await (await session).release();
    },
  };
}
