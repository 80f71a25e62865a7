import { setTimeout as sleep } from 'node:timers/promises';

/** Waits after an attempt, `first` milliseconds after attempt 0 and twice as long after each next one; an abort ends the wait. */
export async function waitAfter(
  attempt: number,
  first: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await sleep(first * 2 ** attempt, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}

/** The error that `fetch` hides in the cause of its own, or the error itself. */
export function behindFetch(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** Why a request came to nothing: `fetch` says only that it failed, and its cause why. */
export function requestFailure(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? `${cause.message} (${cause.cause.message})` : cause.message;
}
