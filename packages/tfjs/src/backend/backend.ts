import { FuzzError } from '@fuzzqe/core';
import * as tf from '@tensorflow/tfjs-core';

/** The tfjs backends that programs can run on. */
export const backendNames = ['cpu', 'wasm', 'webgpu', 'tensorflow'] as const;
export type BackendName = (typeof backendNames)[number];

/** A tfjs backend that is ready to compute. */
export interface Backend {
  readonly name: BackendName;
  /** The backend and the device in use, for people: `tfjs webgpu, NVIDIA H200`. */
  readonly description: string;
  /** The graphics adapter, where there is one. */
  readonly adapter: string | undefined;
  /** Makes it the one that tfjs computes on; tfjs has one at a time for the whole process. */
  activate(): void;
  /** Frees what keeps the process from ending; another call of `openBackend` opens it again. */
  close(): Promise<void>;
}

/** What a backend adds to tfjs when it is first opened. */
export interface Registration {
  readonly description: string;
  readonly adapter?: string;
  /** Undoes it; left out where nothing keeps the process from ending. */
  readonly close?: () => void;
}

/**
 * Starts a backend that tfjs knows by its name.
 *
 * @throws FuzzError `runtime`: it does not start.
 */
export async function initialiseBackend(name: BackendName): Promise<void> {
  // tfjs swallows the reason and prints it instead.
  if (!(await tf.setBackend(name))) throw new FuzzError('runtime', `tfjs ${name} does not start here`);
}
