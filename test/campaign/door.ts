import type { FuzzErrorCode } from '@fuzzqe/core';
import type { Arbitrary } from 'fast-check';
import type { Mutation } from './mutations.ts';

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
  /** Makes another input of one by changes. Where there is it, three of four inputs are made so, which takes less time. */
  vary?(input: Uint8Array, changes: readonly Mutation[]): Uint8Array;
  /** How the names of kept inputs end, for people: `.csv`. */
  readonly ending: string;
  /** The codes that a refusal may have. */
  readonly refusals: readonly FuzzErrorCode[];
  /** The longest that an input may take. Default 10. */
  readonly seconds?: number;
  /** The most memory of the process, in MiB, its own included. Default 1024. */
  readonly mebibytes?: number;
  /** How many inputs are sent at once, where each waits for processes or connections. Default 1. */
  readonly parallel?: number;
  /** What `--until` counts it among. */
  readonly volume?: Volume;
  /** Prepares what every attempt needs, once a process; `folder` is its own and empty, and removed afterwards. */
  open(folder: string): Promise<OpenDoor>;
}

/** What is counted towards a goal: requests of HTTP, inputs of a reader, kills of a process. */
export type Volume = (typeof volumes)[number];
export const volumes = ['requests', 'reader', 'kills'] as const;

/** A door that inputs are sent through. */
export interface OpenDoor {
  /**
   * Sends an input through. Returns where it was taken: how many units of its volume it was where that is not one; throws what
   * the product throws, or an error where an invariant is broken. `place` tells those apart that are sent at once.
   */
  attempt(input: Uint8Array, place: number): Promise<unknown>;
  /** The most memory that the processes of the door have had, in MiB, beside this one's. */
  mebibytes?(): number;
  close?(): Promise<void>;
}

/** The limits of a door that names none. */
export const usualLimits: { readonly seconds: number; readonly mebibytes: number } = {
  seconds: 10,
  mebibytes: 1024,
};

/** How many inputs a door sends at once that waits for files. */
export const atOnce = 16;
