import { FuzzError } from '@fuzzqe/core';
import * as tf from '@tensorflow/tfjs-core';
import type { BackendName } from './backend.ts';

/** Starts a backend that tfjs knows by its name. Throws: 'runtime' where it does not start. */
export async function initialise(name: BackendName): Promise<void> {
  // tfjs swallows the reason and prints it instead.
  if (!(await tf.setBackend(name))) throw new FuzzError('runtime', `tfjs ${name} does not start here`);
}
