import { FuzzError } from '@fuzzqe/core';
import type { Door, OpenDoor } from './door.ts';

/** What became of an input. */
export interface Verdict {
  readonly outcome: 'taken' | 'refused' | 'failed';
  /** What was refused or failed, for people. */
  readonly detail: string;
  /** How many units of its volume the input was. */
  readonly units: number;
}

/** Longer than any message a person would read. */
const longestError = 8000;

/** Sends an input through a door and says what became of it; never throws. */
export async function judge(
  open: OpenDoor,
  input: Uint8Array,
  refusals: Door['refusals'],
  place = 0,
): Promise<Verdict> {
  try {
    const units = await open.attempt(input, place);
    return { outcome: 'taken', detail: '', units: typeof units === 'number' ? units : 1 };
  } catch (error) {
    return verdictOn(error, refusals);
  }
}

/** What an error says of the door that threw it. */
export function verdictOn(error: unknown, refusals: Door['refusals']): Verdict {
  if (!(error instanceof FuzzError)) {
    const shown = error instanceof Error ? (error.stack ?? error.message) : `thrown: ${String(error)}`;
    return { outcome: 'failed', detail: shown.slice(0, 4000), units: 1 };
  }
  const text = error.toString();
  if (!refusals.includes(error.code))
    return { outcome: 'failed', detail: `code ${error.code}: ${text.slice(0, 2000)}`, units: 1 };
  if (text.length > longestError)
    return {
      outcome: 'failed',
      detail: `an error of ${text.length} characters: ${text.slice(0, 200)}`,
      units: 1,
    };
  return { outcome: 'refused', detail: text.slice(0, 200), units: 1 };
}
