import { FuzzError } from '@fuzzqe/core';
import * as tf from '@tensorflow/tfjs-core';
import type { Backend, BackendName, BackendOptions, Registration } from './backend.ts';
import { registerCpu } from './cpu.ts';
import { registerTensorflow } from './tensorflow.ts';
import { registerWasm } from './wasm.ts';
import { registerWebgpu } from './webgpu.ts';

/** A backend that somebody has open. */
interface Opened {
  readonly registration: Promise<Registration>;
  readonly threads: number | undefined;
  users: number;
}

const opened = new Map<BackendName, Opened>();

const registrations: Readonly<Record<BackendName, (options: BackendOptions) => Promise<Registration>>> = {
  cpu: registerCpu,
  wasm: registerWasm,
  webgpu: registerWebgpu,
  tensorflow: registerTensorflow,
};

/**
 * Makes a tfjs backend ready; close it when it is no longer needed.
 *
 * tfjs has one of each kind for the whole process, so whoever opens one that is open shares it.
 * @throws FuzzError `runtime`: what it needs is missing, with the command that installs it. `usage`: it is open with
 * another number of threads.
 */
export async function openBackend(name: BackendName, options: BackendOptions = {}): Promise<Backend> {
  // tfjs otherwise prints advice, and looks at every number for NaN.
  tf.env().set('PROD', true);
  const { threads } = options;
  const known = opened.get(name);
  if (known !== undefined && threads !== undefined && threads !== known.threads)
    throw new FuzzError('usage', `tfjs ${name} is already open with ${known.threads ?? 1} threads`, {
      hint: 'A process has one tfjs backend of each kind: open it once, with the threads that all want.',
    });
  const entry: Opened = known ?? { registration: registrations[name](options), threads, users: 0 };
  opened.set(name, entry);
  entry.users += 1;
  try {
    return backendOf(name, entry, await entry.registration);
  } catch (cause) {
    // What was missing may be there the next time.
    if (opened.get(name) === entry) opened.delete(name);
    throw cause instanceof FuzzError ? cause : notOpened(name, cause);
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

function notOpened(name: BackendName, cause: unknown): FuzzError {
  return new FuzzError('runtime', `tfjs ${name}: ${firstLine(cause)}`, { cause });
}

/** The first line of what went wrong. */
function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!;
}
