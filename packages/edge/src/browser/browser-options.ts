import type { EntityMatch, Matches, Page, RelationMatch } from '@fuzzqe/core';
import type { AnswerMode, BundleEngine, BundleOptions } from '@fuzzqe/engine';
import type { Overlay } from './overlay/overlay.ts';

/** Where graphs run in a browser. */
export type BrowserRuntime = 'wasm' | 'webgpu' | 'javascript';

/** How much of what an opening needs has arrived. */
export interface OpenProgress {
  /** `runtime`: the .wasm file; `bundle`: names, facts, graphs and weights. */
  readonly stage: 'runtime' | 'bundle';
  /** Bytes so far. */
  readonly done: number;
  /** Bytes in all, as far as is known by now: never less than `done`. */
  readonly of: number;
}

/** Something that goes on in another way than was asked for. */
export interface BrowserWarning {
  /**
   * `cache`: nothing is kept for the next visit, by reason of quota or policy. `offline`: the copy of an earlier visit is used.
   * `threads`: fewer than were asked for. `webgpu`: it could not be opened or answers wrongly. `device-lost`: the graphics
   * processor went away. After these two, graphs run on WebAssembly. `wasm`: it could not be opened, or not for some graph, which
   * goes on in plain JavaScript. `overlay`: facts of one's own are left out, all or those with a name that the bundle lacks.
   */
  readonly code: 'overlay' | 'cache' | 'offline' | 'threads' | 'webgpu' | 'device-lost' | 'wasm';
  /** What happened, for people. */
  readonly message: string;
}

/** How a bundle is opened in a browser. */
export interface BrowserOptions extends Omit<BundleOptions, 'accept'> {
  /**
   * Where graphs run. Default `auto`: `webgpu` where the browser has a graphics processor and it answers correctly, else `wasm`.
   * `javascript` loads no runtime and needs no WebAssembly; it is two to ten times slower.
   */
  readonly runtime?: BrowserRuntime | 'auto';
  /**
   * What answers before WebAssembly has begun. Default `javascript`: the promise is kept as soon as names, facts and links are there,
   * WebAssembly begins with the first answer, or a second later, and answers from then on; where it cannot begin, `onWarning` hears
   * of it and JavaScript goes on. `runtime`: the promise is kept once WebAssembly runs.
   */
  readonly firstAnswers?: 'javascript' | 'runtime';
  /** Threads of WebAssembly, in [1, 64]. Default: half the cores, at most 4; where the page is not cross-origin isolated, 1. */
  readonly threads?: number;
  /**
   * Whose graphs are open when the promise is kept; others are opened when first needed. Default `sets`:
   * where JavaScript answers first, the graph of links alone, by which mode `sets` answers.
   */
  readonly warmUp?: AnswerMode | 'both' | 'none';
  /** Gives the opening up. */
  readonly signal?: AbortSignal;
  /** Hears it until the promise is kept. */
  readonly onProgress?: (progress: OpenProgress) => void;
  /** Hears it now or later, while the engine is open. */
  readonly onWarning?: (warning: BrowserWarning) => void;
  /** Go with every request for a file of the bundle: an `authorization`, where its server asks for a key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether files are kept in Cache Storage for the next visit, which then needs no network. Default true. */
  readonly cache?: boolean;
  /**
   * Whether facts of one's own, which this browser keeps, are merged into those of the bundle; a text is the name that they are kept under.
   * Default false; true takes the name of the bundle, whatever its version and address.
   */
  readonly overlay?: boolean | string;
  /** The folder of the runtime's .wasm files, those of `onnxruntime-web/dist`. Default: that of this script. */
  readonly wasm?: string | URL;
  /** Starts the worker that ranks. Default: its script lies next to this one. */
  readonly worker?: () => Worker;
}

/** An engine whose graphs run in a worker of the browser. */
export interface BrowserEngine extends BundleEngine {
  /** Facts of one's own; undefined unless the option says so. */
  readonly overlay: Overlay | undefined;
  /**
   * As those of `vocabulary`, but in the worker: preparing them takes up to 0.3 s, in which a page could not scroll. For the
   * same reason `vocabulary` offers no near names for unknown ones where there are many.
   */
  searchEntities(text: string, page?: Page): Promise<Matches<EntityMatch>>;
  searchRelations(text: string, page?: Page): Promise<Matches<RelationMatch>>;
}
