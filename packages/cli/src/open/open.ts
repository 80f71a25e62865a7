import type { BundleEngine, BundleOptions, PatternAnswer, PatternOptions } from '@fuzzqe/engine';

/** How a bundle is opened. */
export interface OpenOptions extends Pick<BundleOptions, 'profile' | 'verify' | 'requireSignature'> {
  /** Gives the opening up. */
  readonly signal?: AbortSignal | undefined;
}

/** A graph that answers questions. */
export interface Graph {
  /** The engine, for calls that `Graph` lacks: other modes, pages of entities, changes of facts. */
  readonly engine: BundleEngine;
  /**
   * The best answers to a question: a pattern `?x : spouse(Anna, ?x)`, a tree `project(spouse, Anna)`, or words `who is Anna's spouse`.
   *
   * The answer to a question of yes or no has no columns, and one row if it is yes. `signal` gives the question up.
   *
   * @throws FuzzError `query`, `vocabulary`: the question. `range`, `usage`: the options. `interrupted`, named `AbortError`: the signal.
   * `runtime`: the runtime, or a closed graph.
   * @example
   * const { rows } = await graph.ask('project(borders, France)', { k: 5, signal: AbortSignal.timeout(1000) });
   */
  ask(question: string, options?: PatternOptions): Promise<PatternAnswer>;
  /** As `ask`, where each row also has `because`: the facts and predicted links that it follows from. */
  explain(question: string, options?: PatternOptions): Promise<PatternAnswer>;
  /** Refuses new questions, waits for those under way and frees the model. */
  close(): Promise<void>;
  /** As `close`: at the end of the block of `await using graph = await open(bundle)`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a bundle for questions in this process.
 *
 * A folder or an address of the Hub (`hf://owner/name`) is computed by onnxruntime-node. An address of the web (`https://…`)
 * is computed in JavaScript, which is two to ten times slower: copy large bundles into a folder.
 *
 * @param bundle its folder, or the folder of its versions; `hf://…`, `https://…` or a URL.
 * @throws FuzzError `usage`: no address, an option, or no such profile. `bundle`: no bundle there, or a damaged or unsigned bundle.
 * `interrupted`, named `AbortError`: the signal.
 * @example
 * const graph = await open('bundles/countries');
 * const { rows } = await graph.ask('?x : borders(?x, France)');
 * for (const { entities, degree } of rows) console.log(entities[0]?.label, degree);
 * await graph.close();
 */
export async function open(bundle: string | URL, options: OpenOptions = {}): Promise<Graph> {
  // An import of this package loads no engine.
  const { openGraph } = await import('./open-graph.ts');
  return openGraph(bundle, options);
}
