import util from 'node:util';
import { FuzzError, importOptional, messageOf } from '@fuzzqe/core';
import * as tf from '@tensorflow/tfjs-core';
import { initialiseBackend, type Registration } from './backend.ts';

/** What is used of the backend that both packages register. */
interface NodeBackend {
  readonly binding: { readonly TF_Version: string };
  readonly isUsingGpuDevice: boolean;
}

const install =
  'npm install @tensorflow/tfjs-node-gpu@4.22.0 for GPUs, @tensorflow/tfjs-node@4.22.0 for the CPU, with its install script';

/**
 * TensorFlow's C library: tfjs-node-gpu on a graphics processor, where its library is, else tfjs-node.
 *
 * @throws FuzzError `runtime`: neither is installed with its library.
 */
export async function registerTensorflow(): Promise<Registration> {
  // Node 23 took away what the JavaScript of both packages still calls.
  const patched = util as { isNullOrUndefined?: (value: unknown) => boolean };
  patched.isNullOrUndefined ??= (value) => value === null || value === undefined;
  const reasons: string[] = [];
  for (const name of ['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node']) {
    try {
      await importOptional(name, install, () => import(name));
    } catch (cause) {
      const message = messageOf(cause);
      reasons.push(message.includes('tfjs_binding') ? `${name} has no native library` : message);
      continue;
    }
    await initialiseBackend('tensorflow');
    const { binding, isUsingGpuDevice } = tf.backend() as unknown as NodeBackend;
    return { description: `tfjs tensorflow ${binding.TF_Version}, ${isUsingGpuDevice ? 'GPU' : 'CPU'}` };
  }
  throw new FuzzError('runtime', `tfjs tensorflow: ${reasons.join('; ')}`, {
    hint: `Install it: ${install}`,
  });
}
