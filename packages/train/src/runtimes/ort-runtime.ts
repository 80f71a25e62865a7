import { FuzzError, type Program, sizeOf } from '@fuzzqe/core';
import { emitOnnx } from '@fuzzqe/onnx';
import * as ort from 'onnxruntime-node';
import type { StepProgram } from '../step/step-program.ts';
import { splitProgram } from './split-program.ts';
import type { Feed, TrainingRuntime, TrainingSession, TrainingState } from './training-runtime.ts';

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
  try {
    const session = await ort.InferenceSession.create(emitOnnx(program), {
      executionProviders: ['cpu'],
      graphOptimizationLevel: 'all',
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
      // Waiting threads must not spin: it slows every other process of a shared machine, and here even ourselves.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
    return { program, session };
  } catch (cause) {
    throw new FuzzError('runtime', `onnxruntime-node cannot open ${program.name}: ${String(cause)}`, {
      cause,
    });
  }
}

/** A state tensor in two buffers: a step reads one and writes the other, then they change places. */
interface Slot {
  readonly shape: readonly number[];
  now: Float32Array;
  next: Float32Array;
}

function session(step: StepProgram, state: TrainingState, parts: readonly Part[]): TrainingSession {
  const slots = new Map<string, Slot>();
  for (const { attributes, shape } of step.program.parameters) {
    const data = state[attributes.name];
    const dims = shape as readonly number[];
    if (data === undefined || data.length !== sizeOf(dims))
      throw new FuzzError(
        'shape',
        `state "${attributes.name}": expected ${sizeOf(dims)} numbers, got ${data?.length ?? 'none'}`,
      );
    slots.set(attributes.name, {
      shape: dims,
      now: Float32Array.from(data),
      next: new Float32Array(data.length),
    });
  }
  const slot = (name: string): Slot => {
    const found = slots.get(name);
    if (found === undefined) throw new FuzzError('shape', `the step has no state "${name}"`);
    return found;
  };

  return {
    async step(feeds) {
      const crossing: Record<string, ort.Tensor> = {};
      let loss = Number.NaN;
      for (const { program, session: part } of parts) {
        const given: Record<string, ort.Tensor> = {};
        for (const { attributes } of program.inputs)
          given[attributes.name] =
            crossing[attributes.name] ?? tensorOf(feeds[attributes.name], attributes.name);
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
      for (const each of slots.values()) [each.now, each.next] = [each.next, each.now];
      return loss;
    },
    read: async (name) => Float32Array.from(slot(name).now),
    write: async (name, data) => slot(name).now.set(data),
    close: async () => {
      for (const { session: part } of parts) await part.release();
    },
  };
}

function tensorOf(feed: Feed | undefined, name: string): ort.Tensor {
  if (feed === undefined) throw new FuzzError('shape', `no feed "${name}"`);
  if (feed.data instanceof Int32Array) return new ort.Tensor('int32', feed.data, feed.shape);
  if (feed.data instanceof Uint8Array) return new ort.Tensor('bool', feed.data, feed.shape);
  return new ort.Tensor('float32', feed.data, feed.shape);
}
