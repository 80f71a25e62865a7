import { FuzzError, messageOf } from '@fuzzqe/core';
import { createAttempts } from './read-attempts.ts';
import { openRuntimeImage, type RuntimeStart } from './runtime-image.ts';

/** How long the image may take, in milliseconds: by itself the runtime begins in a tenth of that. */
const imageTimeout = 3000;
const imageLimit = 16 * 2 ** 20;

/**
 * Gives a runtime that has not begun the image that it begins from.
 *
 * @throws FuzzError `runtime`: there is no image, none in time, or one of another version, cut off or altered.
 */
export async function fetchImage(
  start: RuntimeStart,
  fetch: () => Promise<Response>,
  version: string,
  timeout: number = imageTimeout,
): Promise<void> {
  // It may begin, for another request, while something is waited for.
  const isBegun = (): boolean => start.begun === true;
  if (isBegun()) return;
  const signal = AbortSignal.timeout(timeout);
  const path = 'runtime.image';
  const file = {
    url: path,
    path,
    most: imageLimit,
    size: undefined,
    cache: undefined,
    heard: () => undefined,
  };
  const attempts = createAttempts({ fetch, headers: undefined, signal, timeout, retries: 0, backOff: 0 });
  const bytes = await attempts.read(file, false).catch((cause: unknown) => {
    const why = signal.aborted ? `not there after ${timeout} ms` : messageOf(cause);
    throw new FuzzError('runtime', `image of the runtime: ${why}`, {
      hint: 'Copy it from the package @fuzzqe/edge to the assets; without it the runtime begins by itself.',
      cause,
    });
  });
  const image = await openRuntimeImage(version, bytes);
  if (!isBegun()) start.image = image;
}
