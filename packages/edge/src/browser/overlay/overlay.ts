import type { FactChange } from '@fuzzqe/facts/apply';

/** What a change of an overlay came to. */
export interface OverlayChanged {
  /** That of the overlay whose facts answers have from now on. */
  readonly epoch: number;
  /** How many facts came and went. */
  readonly added: number;
  readonly removed: number;
}

/** How facts of one's own are changed. */
export interface OverlayChange {
  /** Whether names that the graph lacks become entities and relations of it. Default false. */
  readonly create?: boolean;
}

/** Facts of one's own over those of a bundle, which this browser keeps in IndexedDB. */
export interface Overlay {
  /** What the facts are kept under. */
  readonly name: string;
  /** Rises with every change, in whichever tab. */
  readonly epoch: number;
  /** Changes that are kept and no part of answers: the bundle lacks a name of each. */
  readonly left: readonly FactChange[];
  /**
   * Adds and removes facts by names as queries have them: durable first, then visible, in all tabs.
   *
   * @throws FuzzError `vocabulary`: names that the graph lacks, each with its place. `data`: what is no change, or damage of what is kept. `storage`: the browser keeps nothing, or has no more room.
   */
  change(changes: readonly FactChange[], options?: OverlayChange): Promise<OverlayChanged>;
  /** All changes as batches of NDJSON, as `fuzzqe facts log --json` writes them. Throws: `storage`. */
  export(): Promise<string>;
  /**
   * Adds batches of NDJSON behind the changes so far, all or none.
   *
   * @throws FuzzError: as `change`. `runtime`: the last line breaks off.
   */
  import(batches: string): Promise<OverlayChanged>;
  /** Removes all changes: answers are by the facts of the bundle. Throws: `storage`. */
  clear(): Promise<void>;
}
