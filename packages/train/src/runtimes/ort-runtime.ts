import type { Program } from '@fuzzqe/core/tensor';
import type * as ort from '@fuzzqe/ort';
import { createHostState, type HostState } from './host-state.ts';
import { createKernelState, fitsKernel } from './kernel-state.ts';
import { feedTensor, hostTensor, openOrtSession } from './ort-session.ts';
import { splitProgram } from './split-program.ts';
import {
  expectWholeTensors,
  type Feed,
  type TrainingRuntime,
  type TrainingSession,
} from './training-runtime.ts';

/** How the CPU runs a step. */
export interface OrtCpuOptions {
  /** Threads of the dense part. The result does not depend on it. */
  readonly threads: number;
}

/**
 * Training on the CPU through onnxruntime-node: gradients in its sessions, AdamW in our kernel.
 *
 * ONNX Runtime would take AdamW as eleven passes over every tensor. A step with a tensor too large for the kernel, or
 * without a program of its gradients alone, is run so.
 *
 * @example
 * const runtime = ortCpuRuntime({ threads: 2 });
 */
export function ortCpuRuntime(options: OrtCpuOptions): TrainingRuntime {
  return {
    device: 'cpu',
    async open(step, state) {
      const { gradientStep } = step;
      const inKernel = gradientStep !== undefined && fitsKernel(step);
      if (!inKernel) expectWholeTensors(step, 'a step whose other tensors are too large for AdamW’s kernel');
      const host = inKernel
        ? createKernelState(step, gradientStep, state)
        : { ...createHostState(step, state), program: step.program };
      const { parallel, serial } = splitProgram(host.program);
      const parts = [await openPart(parallel, options.threads)];
      if (serial !== undefined) parts.push(await openPart(serial, 1));
      return session(host, parts);
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

function session(
  { parameter, output, advance, read, view, write }: HostState,
  parts: readonly Part[],
): TrainingSession {
  return {
    async step(feeds) {
      const crossing: Record<string, ort.Tensor> = {};
      const others: Record<string, Feed['data']> = {};
      for (const { program, session: part } of parts) {
        const given: Record<string, ort.Tensor> = {};
        for (const { attributes } of program.inputs)
          given[attributes.name] = crossing[attributes.name] ?? feedTensor(feeds, attributes.name);
        for (const { attributes } of program.parameters)
          given[attributes.name] = hostTensor(parameter(attributes.name));
        const wanted: Record<string, ort.Tensor | null> = {};
        for (const { name } of program.outputs) {
          const target = output(name);
          wanted[name] = target === undefined ? null : hostTensor(target);
        }
        const results = await part.run(given, wanted);
        for (const [name, result] of Object.entries(results)) {
          if (name.startsWith('cross.')) crossing[name] = result;
          else if (wanted[name] === null) others[name] = result.data as Feed['data'];
          else forget(result, wanted[name]!);
        }
      }
      advance(feeds, others);
      return others['loss']![0]!;
    },
    read,
    ...(view === undefined ? {} : { view }),
    write,
    close: async () => {
      for (const { session: part } of parts) await part.release();
    },
  };
}

/**
 * Gives up the view that onnxruntime-node returns of memory which a step has already.
 *
 * V8 counts the view as memory of its own, and would collect garbage every second step. Before Node 22 nothing can give it up.
 */
function forget(result: ort.Tensor, given: ort.Tensor): void {
  const { buffer } = result.data as Float32Array;
  const { transfer } = buffer as { readonly transfer?: (this: unknown, length: number) => unknown };
  if (buffer !== (given.data as Float32Array).buffer) transfer?.call(buffer, 0);
}
