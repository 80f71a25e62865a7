import type { AnswerMode, BundleOptions } from '@fuzzqe/engine';

/** Where graphs run in a browser. */
export type BrowserRuntime = 'wasm' | 'webgpu';

/** How much of what an opening needs has arrived. */
export interface OpenProgress {
  /** `runtime`: the .wasm file; `bundle`: names, facts, graphs and weights; `graphs`: graphs that are open. */
  readonly stage: 'runtime' | 'bundle' | 'graphs';
  /** Bytes, of `graphs` their number. */
  readonly done: number;
  /** As far as is known by now: never less than `done`, and it may grow. */
  readonly of: number;
}

/** Something that goes on in another way than was asked for. */
export interface BrowserWarning {
  /**
   * `cache`: nothing is kept for the next visit. `threads`: fewer than were asked for. `webgpu`: it was not there or answered
   * wrongly. `device-lost`: the graphics processor went away. After both of these, graphs run on WebAssembly.
   */
  readonly code: 'cache' | 'threads' | 'webgpu' | 'device-lost';
  /** What happened, for people. */
  readonly message: string;
}

/** How a bundle is opened in a browser. */
export interface BrowserOptions extends BundleOptions {
  /** Where graphs run. Default `auto`: `webgpu` where the browser has a graphics processor, else `wasm`. */
  readonly runtime?: BrowserRuntime | 'auto';
  /** Threads of WebAssembly, in [1, 64]. Default: half the cores, at most 4; always 1 where the page is not cross-origin isolated. */
  readonly threads?: number;
  /** Which graphs are opened before the promise is kept; the others are when first needed. Default: those of `sets`. */
  readonly warmUp?: AnswerMode | 'both' | 'none';
  /** Gives the opening up. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: OpenProgress) => void;
  /** Default: nobody is told. */
  readonly onWarning?: (warning: BrowserWarning) => void;
  /** Whether files are kept in Cache Storage for the next visit, which then needs no network. Default true. */
  readonly cache?: boolean;
  /** The folder with the runtime's .wasm files, as in `onnxruntime-web/dist`. Default: that of the script. */
  readonly wasm?: string | URL;
  /** Starts the worker that ranks. Default: its script lies beside this one. */
  readonly worker?: () => Worker;
}
