import { numeric } from '@fuzzqe/core/tensor';
import {
  type BackendName,
  createDeviceTensors,
  download,
  openBackend,
  openProgram,
  probeBackend,
} from '@fuzzqe/tfjs';
import {
  type RunnableStep,
  stateShape,
  stateShapes,
  type TrainingRuntime,
  type TrainingSession,
  type TrainingState,
} from './training-runtime.ts';

/**
 * Training with TensorFlow.js: every operation is a kernel of a tfjs backend, and the state stays on its device.
 *
 * Gradients are ours, as on every other device. Throws: 'runtime' on opening where the backend is not available.
 */
export function tfjsRuntime(backend: BackendName): TrainingRuntime {
  return {
    device: `tfjs:${backend}`,
    open: (step, state) => openSession(step, state, backend),
  };
}

/** Whether a tfjs backend works here, its graphics adapter where it has one, and otherwise why not. */
export async function probeTfjs(
  backend: BackendName,
): Promise<
  | { readonly available: true; readonly adapter?: string }
  | { readonly available: false; readonly reason: string }
> {
  const probe = await probeBackend(backend);
  if (!probe.available) return probe;
  return { available: true, ...(probe.adapter === undefined ? {} : { adapter: probe.adapter }) };
}

async function openSession(
  { program }: RunnableStep,
  state: TrainingState,
  name: BackendName,
): Promise<TrainingSession> {
  const shapes = stateShapes({ program }, state);
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
