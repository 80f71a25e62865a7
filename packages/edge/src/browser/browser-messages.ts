import type { Manifest } from '@fuzzqe/bundle';
import type { AdjacencyIndex, Matches, NameEntry, Page, SentError } from '@fuzzqe/core';
import type { BundleOptions, EntityTexts, RankerCall, RankerReply } from '@fuzzqe/engine';
import type { NameChanges } from '@fuzzqe/names';
import type { BrowserOptions, BrowserRuntime, BrowserWarning, OpenProgress } from './browser-options.ts';

/** What the worker opens: addresses are whole, and nothing is left to choose. */
export interface OpenCall
  extends Required<Pick<BrowserOptions, 'threads' | 'warmUp' | 'cache' | 'firstAnswers'>> {
  readonly does: 'open';
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bundle: BundleOptions;
  readonly runtime: BrowserRuntime;
  /** The address of the runtime's .wasm file. */
  readonly wasm: string;
  /** The digest of the manifest that the page has what it needs of; undefined: it is sent that of the bundle that is opened. */
  readonly opened: string | undefined;
  /** Whether facts and names change. */
  readonly grows: boolean;
}

/** Searches names. */
export interface SearchCall {
  readonly does: 'search';
  readonly kind: 'entities' | 'relations';
  readonly text: string;
  readonly page: Page | undefined;
}

/** Asks for the literals of an entity. */
export interface TextsCall {
  readonly does: 'texts';
  readonly id: number;
}

/** Tells of names that the page has in addition. */
export interface NameCall {
  readonly does: 'name';
  readonly changes: NameChanges;
}

/** What the worker is told: a ranker's calls, and what comes before and with these calls. */
export type WorkerCall = RankerCall | OpenCall | SearchCall | TextsCall | NameCall;

/** What of a bundle crosses to the page; the entities' names came before, in parts. */
export interface SentBundle {
  readonly manifest: Manifest;
  readonly profileName: string;
  readonly relations: readonly NameEntry[];
  readonly prefixes: ReadonlyMap<string, string>;
  readonly index: AdjacencyIndex;
}

/** What it answers. */
export type WorkerReply =
  | RankerReply
  | { readonly opened: SentBundle | undefined; readonly runtime: string }
  | { readonly found: Matches<NameEntry & { readonly id: number }> }
  | { readonly texts: EntityTexts }
  | { readonly named: true }
  | { readonly error: SentError };

/** What it says unasked. */
export type WorkerEvent =
  | { readonly event: 'progress'; readonly progress: OpenProgress }
  | { readonly event: 'warning'; readonly warning: BrowserWarning }
  /** Names of entities, the next by id: few enough to be read without holding the page up. */
  | { readonly event: 'names'; readonly entries: readonly NameEntry[] }
  /** The graphics processor went away; nothing is answered any more. */
  | { readonly event: 'lost'; readonly reason: string };
