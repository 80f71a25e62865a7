import type { FuzzErrorCode } from '@fuzzqe/core';
import type { Arbitrary } from 'fast-check';

/**
 * A way into the product, and inputs to send through it.
 *
 * What must hold of every input, whatever it is: the door takes it, or refuses it by a `FuzzError` of one of `refusals`
 * whose text is short. Anything else is a failure: another error, a rejection that nobody waits for, an end of the process,
 * more time or memory than the limits.
 */
export interface Door {
  /** In kebab-case, unique; what `--door` names. */
  readonly name: string;
  /** What is tried, in a few words, for the table. */
  readonly description: string;
  /** Inputs by structure: valid ones, nearly valid ones, hostile ones. The seed and the index of an input give its bytes. */
  readonly inputs: Arbitrary<Uint8Array>;
  /** How the names of kept inputs end, for people: `.csv`. */
  readonly ending: string;
  /** The codes that a refusal may have. */
  readonly refusals: readonly FuzzErrorCode[];
  /** The longest that an input may take. Default 10. */
  readonly seconds?: number;
  /** The most memory of the process, in MiB, its own included. Default 1024. */
  readonly mebibytes?: number;
  /** Prepares what every attempt needs, once a process; `folder` is its own and empty, and removed afterwards. */
  open(folder: string): Promise<OpenDoor>;
}

/** A door that inputs are sent through, one after the other. */
export interface OpenDoor {
  /** Sends an input through. Returns where it was taken; throws what the product throws, or an error where an invariant is broken. */
  attempt(input: Uint8Array): Promise<void>;
  close?(): Promise<void>;
}

/** The limits of a door that names none. */
export const usualLimits: { readonly seconds: number; readonly mebibytes: number } = {
  seconds: 10,
  mebibytes: 1024,
};
