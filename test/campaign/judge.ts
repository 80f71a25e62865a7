import { FuzzError } from '@fuzzqe/core';
import type { Door, OpenDoor } from './door.ts';

/** What became of an input. */
export interface Verdict {
  readonly outcome: 'taken' | 'refused' | 'failed';
  /** What was refused or failed, for people. */
  readonly detail: string;
}

/** Longer than any message a person would read. */
const longestError = 8000;

/** Sends an input through a door and says what became of it; never throws. */
export async function judge(open: OpenDoor, input: Uint8Array, refusals: Door['refusals']): Promise<Verdict> {
  try {
    await open.attempt(input);
    return { outcome: 'taken', detail: '' };
  } catch (error) {
    return verdictOn(error, refusals);
  }
}

/** What an error says of the door that threw it. */
export function verdictOn(error: unknown, refusals: Door['refusals']): Verdict {
  if (!(error instanceof FuzzError)) {
    const shown = error instanceof Error ? (error.stack ?? error.message) : `thrown: ${String(error)}`;
    return { outcome: 'failed', detail: shown.slice(0, 4000) };
  }
  const text = error.toString();
  if (!refusals.includes(error.code))
    return { outcome: 'failed', detail: `code ${error.code}: ${text.slice(0, 2000)}` };
  if (text.length > longestError)
    return { outcome: 'failed', detail: `an error of ${text.length} characters: ${text.slice(0, 200)}` };
  return { outcome: 'refused', detail: text.slice(0, 200) };
}
