/** The tfjs backends that programs can run on. */
export const backendNames = ['cpu', 'wasm', 'webgpu', 'tensorflow'] as const;
export type BackendName = (typeof backendNames)[number];

/** How a backend is to run. */
export interface BackendOptions {
  /** Threads of `wasm`; the others decide themselves. Default 1. */
  readonly threads?: number;
}

/** A tfjs backend that is ready to compute. */
export interface Backend {
  readonly name: BackendName;
  /** The backend and the device in use, for people: `tfjs wasm, SIMD, 2 threads`. */
  readonly description: string;
  /** The graphics adapter, where there is one. */
  readonly adapter: string | undefined;
  /** Makes it the one that tfjs computes on; tfjs has one at a time for the whole process. */
  activate(): void;
  /** Frees what keeps the process from ending. The backend cannot be used afterwards, unless it is open elsewhere. */
  close(): Promise<void>;
}

/** What a backend adds to tfjs when it is first opened. */
export interface Registration {
  readonly description: string;
  readonly adapter?: string;
  /** Undoes it; left out where nothing keeps the process from ending. */
  readonly close?: () => void;
}
