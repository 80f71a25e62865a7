import { FuzzError } from '@fuzzqe/core';
import { createProgram, input } from '@fuzzqe/core/tensor';
import * as ort from '@fuzzqe/ort';
import { feedTensor, openOrtSession } from './ort-session.ts';
import {
  expectWholeTensors,
  type RunnableStep,
  stateShape,
  stateShapes,
  type TrainingRuntime,
  type TrainingSession,
  type TrainingState,
} from './training-runtime.ts';
import { webgpuHint } from './webgpu-problem.ts';

/**
 * Training on a graphics processor through onnxruntime-node's WebGPU provider: a driver is all that it needs.
 *
 * The state stays on the device between steps; it is copied only when it is read.
 *
 * @throws FuzzError `runtime` on opening where there is no adapter.
 * @example
 * const runtime = ortWebgpuRuntime();
 */
export function ortWebgpuRuntime(): TrainingRuntime {
  const copies = createCopies();
  return {
    device: 'webgpu',
    async open(step, state) {
      expectWholeTensors(step, 'webgpu');
      // A session of its own keeps the device, with every shader it has compiled, from one step program to the next.
      await copies.of(1);
      return openSession(step, state, copies);
    },
  };
}

async function openSession(
  step: RunnableStep,
  state: TrainingState,
  copies: Copies,
): Promise<TrainingSession> {
  const shapes = stateShapes(step, state);
  const { program } = step;
  const session = await openOrtSession(program, {
    executionProviders: ['webgpu'],
    preferredOutputLocation: Object.fromEntries(
      program.outputs.map(({ name }) => [name, name === 'loss' ? 'cpu' : 'gpu-buffer']),
    ),
  });
  const now = new Map<string, ort.Tensor>();
  const write = (name: string, data: Float32Array): void => {
    const tensor = new ort.Tensor('float32', Float32Array.from(data), stateShape(shapes, name));
    now.get(name)?.dispose();
    now.set(name, tensor);
  };
  for (const name of shapes.keys()) write(name, state[name]!);
  return {
    async step(feeds) {
      const given = Object.fromEntries(now);
      for (const { attributes } of program.inputs)
        given[attributes.name] = feedTensor(feeds, attributes.name);
      const { loss, ...next } = await session.run(given);
      for (const [output, tensor] of Object.entries(next)) {
        const name = output.slice('next.'.length);
        now.get(name)?.dispose();
        now.set(name, tensor);
      }
      return (loss!.data as Float32Array)[0]!;
    },
    async read(name) {
      stateShape(shapes, name);
      return copies.download(now.get(name)!);
    },
    write: async (name, data) => write(name, data),
    async close() {
      for (const tensor of now.values()) tensor.dispose();
      now.clear();
      await session.release();
    },
  };
}

/** Sessions that copy a tensor of one rank from the device: its own `getData` ends the process. */
interface Copies {
  of(rank: number): Promise<ort.InferenceSession>;
  download(tensor: ort.Tensor): Promise<Float32Array>;
}

function createCopies(): Copies {
  const sessions = new Map<number, Promise<ort.InferenceSession>>();
  const open = (rank: number): Promise<ort.InferenceSession> => {
    const x = input(
      'x',
      'float',
      Array.from({ length: rank }, (_, axis) => `n${axis}`),
    );
    const program = createProgram({ name: `copy-${rank}`, inputs: [x], outputs: { y: x } });
    return openOrtSession(program, { executionProviders: ['webgpu'] }).catch((cause: unknown) => {
      sessions.delete(rank);
      throw withAdvice(cause);
    });
  };
  const of = (rank: number): Promise<ort.InferenceSession> => {
    const session = sessions.get(rank) ?? open(rank);
    sessions.set(rank, session);
    return session;
  };
  return {
    of,
    async download(tensor) {
      if (tensor.location === 'cpu') return Float32Array.from(tensor.data as Float32Array);
      const session = await of(tensor.dims.length);
      const { y } = await session.run({ x: tensor });
      return Float32Array.from(y!.data as Float32Array);
    },
  };
}

function withAdvice(cause: unknown): unknown {
  if (!(cause instanceof Error) || !/No supported adapters/.test(cause.message)) return cause;
  return new FuzzError('runtime', 'webgpu: there is no WebGPU adapter here', {
    hint: webgpuHint,
    cause,
  });
}
