import { importOptional } from '@fuzzqe/core';
import { numeric } from '@fuzzqe/core/tensor';
import type { DeviceName } from './device-name.ts';
import {
  expectWholeTensors,
  type RunnableStep,
  stateShape,
  stateShapes,
  type TrainingRuntime,
  type TrainingSession,
  type TrainingState,
} from './training-runtime.ts';

/** A backend of TensorFlow.js, of the device `tfjs:BACKEND`. */
export type TfjsBackend = DeviceName extends infer Device
  ? Device extends `tfjs:${infer Backend}`
    ? Backend
    : never
  : never;

/**
 * Training with TensorFlow.js: every operation is a kernel of a tfjs backend, and the state stays on its device.
 *
 * Gradients are ours, as on every other device. `@fuzzqe/tfjs` is an optional peer, loaded when a step is opened.
 *
 * @throws FuzzError `runtime` on opening where the package or the backend is not available.
 * @example
 * const runtime = tfjsRuntime('cpu');
 */
export function tfjsRuntime(backend: TfjsBackend): TrainingRuntime {
  return {
    device: `tfjs:${backend}`,
    async open(step, state) {
      expectWholeTensors(step, `tfjs:${backend}`);
      return openSession(step, state, backend);
    },
  };
}

const loadTfjs = () =>
  importOptional('@fuzzqe/tfjs', 'npm install @fuzzqe/tfjs', () => import('@fuzzqe/tfjs'));

async function openSession(
  { program }: RunnableStep,
  state: TrainingState,
  name: TfjsBackend,
): Promise<TrainingSession> {
  const shapes = stateShapes({ program }, state);
  const { createDeviceTensors, download, openBackend, openProgram } = await loadTfjs();
  const backend = await openBackend(name);
  const tensors = createDeviceTensors(backend);
  const write = (tensor: string, data: Float32Array): void => {
    tensors.write(tensor, numeric(stateShape(shapes, tensor), data));
  };
  for (const tensor of shapes.keys()) write(tensor, state[tensor]!);
  const step = openProgram(program, tensors);
  return {
    async step(feeds) {
      const { loss, ...next } = step.run(feeds);
      for (const [output, tensor] of Object.entries(next)) tensors.put(output.slice('next.'.length), tensor);
      const { data } = await download(loss!);
      loss!.dispose();
      return data[0]!;
    },
    read: async (tensor) => Float32Array.from((await tensors.read(tensor)).data),
    write: async (tensor, data) => write(tensor, data),
    async close() {
      step.close();
      tensors.close();
      await backend.close();
    },
  };
}
