import { FuzzError, messageOf } from '@fuzzqe/core';
import * as tf from '@tensorflow/tfjs-core';
import { type Backend, type BackendName, initialiseBackend, type Registration } from './backend.ts';
import { registerTensorflow } from './tensorflow.ts';
import { registerWasm } from './wasm.ts';
import { registerWebgpu } from './webgpu.ts';

/** A backend that somebody has open. */
interface Opened {
  readonly registration: Promise<Registration>;
  users: number;
}

const opened = new Map<BackendName, Opened>();

const registrations: Readonly<Record<BackendName, () => Promise<Registration>>> = {
  cpu: registerCpu,
  wasm: registerWasm,
  webgpu: registerWebgpu,
  tensorflow: registerTensorflow,
};

/**
 * Makes a tfjs backend ready; close it when it is no longer needed.
 *
 * tfjs has one of each kind for the whole process, so anyone who opens one that is open shares it.
 * @throws FuzzError `runtime`: what it needs is missing, with the command that installs it.
 * @example
 * const backend = await openBackend('cpu');
 */
export async function openBackend(name: BackendName): Promise<Backend> {
  // tfjs otherwise prints advice, and looks at every number for NaN.
  tf.env().set('PROD', true);
  const entry: Opened = opened.get(name) ?? { registration: registrations[name](), users: 0 };
  opened.set(name, entry);
  entry.users += 1;
  try {
    return backendOf(name, entry, await entry.registration);
  } catch (cause) {
    // What was missing may be there the next time.
    if (opened.get(name) === entry) opened.delete(name);
    if (cause instanceof FuzzError) throw cause;
    const [reason] = messageOf(cause).split('\n', 1);
    throw new FuzzError('runtime', `tfjs ${name}: ${reason}`, { cause });
  }
}

function backendOf(name: BackendName, entry: Opened, registration: Registration): Backend {
  let closed = false;
  return {
    name,
    description: registration.description,
    adapter: registration.adapter,
    activate() {
      if (closed) throw new FuzzError('runtime', `tfjs ${name} is closed`);
      // Of a backend that is initialised, this takes effect at once; the promise is for the others.
      if (tf.getBackend() !== name) void tf.setBackend(name);
    },
    async close() {
      if (closed) return;
      closed = true;
      entry.users -= 1;
      if (entry.users > 0 || registration.close === undefined) return;
      opened.delete(name);
      registration.close();
    },
  };
}

/** Plain JavaScript: present everywhere, and slow. */
async function registerCpu(): Promise<Registration> {
  await import('@tensorflow/tfjs-backend-cpu');
  await initialiseBackend('cpu');
  return { description: 'tfjs cpu' };
}

/** Whether a backend works here. */
export type BackendProbe =
  | { readonly available: true; readonly description: string; readonly adapter?: string }
  | { readonly available: false; readonly reason: string };

/**
 * Opens a backend, and closes it again.
 *
 * @example
 * const probe = await probeBackend('webgpu');
 * if (!probe.available) console.log(probe.reason);
 */
export async function probeBackend(name: BackendName): Promise<BackendProbe> {
  try {
    const backend = await openBackend(name);
    await backend.close();
    const { description, adapter } = backend;
    return { available: true, description, ...(adapter === undefined ? {} : { adapter }) };
  } catch (cause) {
    return { available: false, reason: messageOf(cause) };
  }
}
