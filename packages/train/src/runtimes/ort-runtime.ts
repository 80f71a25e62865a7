import type { Program } from '@fuzzqe/core';
import * as ort from 'onnxruntime-node';
import { createHostState } from './host-state.ts';
import { openOrtSession } from './ort-session.ts';
import { feedTensor } from './ort-tensor.ts';
import { splitProgram } from './split-program.ts';
import type { RunnableStep, TrainingRuntime, TrainingSession, TrainingState } from './training-runtime.ts';

/** How the CPU runs a step. */
export interface OrtCpuOptions {
  /** Threads of the dense part. The result does not depend on it. */
  readonly threads: number;
}

/** Training on the CPU through onnxruntime-node. */
export function ortCpuRuntime(options: OrtCpuOptions): TrainingRuntime {
  return {
    device: 'cpu',
    async open(step, state) {
      const { parallel, serial } = splitProgram(step.program);
      const parts = [await openPart(parallel, options.threads)];
      if (serial !== undefined) parts.push(await openPart(serial, 1));
      return session(step, state, parts);
    },
  };
}

/** One ONNX session of a step. */
interface Part {
  readonly program: Program;
  readonly session: ort.InferenceSession;
}

async function openPart(program: Program, threads: number): Promise<Part> {
  const session = await openOrtSession(program, {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Waiting threads must not spin: it slows every other process of a shared machine, and here even ourselves.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });
  return { program, session };
}

function session(step: RunnableStep, state: TrainingState, parts: readonly Part[]): TrainingSession {
  const { slot, swap, read, write } = createHostState(step, state);
  return {
    async step(feeds) {
      const crossing: Record<string, ort.Tensor> = {};
      let loss = Number.NaN;
      for (const { program, session: part } of parts) {
        const given: Record<string, ort.Tensor> = {};
        for (const { attributes } of program.inputs)
          given[attributes.name] = crossing[attributes.name] ?? feedTensor(feeds, attributes.name);
        for (const { attributes } of program.parameters) {
          const { now, shape } = slot(attributes.name);
          given[attributes.name] = new ort.Tensor('float32', now, shape);
        }
        const wanted: Record<string, ort.Tensor | null> = {};
        for (const { name } of program.outputs) {
          const target = name.startsWith('next.') ? slot(name.slice('next.'.length)) : undefined;
          wanted[name] = target === undefined ? null : new ort.Tensor('float32', target.next, target.shape);
        }
        const results = await part.run(given, wanted);
        for (const [name, tensor] of Object.entries(results)) {
          if (name.startsWith('cross.')) crossing[name] = tensor;
          else if (name === 'loss') loss = (tensor.data as Float32Array)[0]!;
        }
      }
      swap();
      return loss;
    },
    read,
    write,
    close: async () => {
      for (const { session: part } of parts) await part.release();
    },
  };
}
