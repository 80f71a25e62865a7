import { FuzzError, messageOf } from '@fuzzqe/core';
import { inTime } from './opening.ts';
import { imageHint, openRuntimeImage, type RuntimeStart } from './runtime-image.ts';

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
  const failure = (why: string, cause?: unknown): FuzzError =>
    new FuzzError('runtime', `image of the runtime: ${why}`, {
      hint: imageHint,
      cause,
    });
  let isLate = false;
  const read = async (): Promise<Uint8Array> => {
    const response = await fetch();
    const { ok, status, headers, body } = response;
    const bytes = Number(headers.get('content-length'));
    if (ok && !isLate && bytes <= imageLimit) return new Uint8Array(await response.arrayBuffer());
    // Nobody waits for what the platform does with it.
    body?.cancel().catch(() => undefined);
    throw failure(
      ok ? `expected at most ${imageLimit} bytes, got ${bytes}` : `expected a file, got status ${status}`,
    );
  };
  const bytes = await inTime(read(), timeout).catch((cause: unknown) => {
    if (!(cause instanceof FuzzError)) throw failure(messageOf(cause), cause);
    if (cause.code !== 'deadline') throw cause;
    isLate = true;
    throw failure(`not there after ${timeout} ms`);
  });
  const image = await openRuntimeImage(version, bytes);
  if (!isBegun()) start.image = image;
}
