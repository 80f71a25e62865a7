import { describe, expect, it } from 'vitest';
import { readAtMost } from './read-at-most.ts';

/** An answer in pieces of four bytes, and whether the rest of it was cancelled. */
function answer(pieces: number): { readonly response: Response; readonly isCancelled: () => boolean } {
  let [sent, cancelled] = [0, false];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent === pieces) controller.close();
        else controller.enqueue(new Uint8Array(4).fill(sent++));
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body), isCancelled: () => cancelled };
}

describe('readAtMost', () => {
  it('reads an answer that is as long as it may be', async () => {
    const { response } = answer(2);
    expect(await readAtMost(response, 8)).toEqual({
      bytes: Buffer.from([0, 0, 0, 0, 1, 1, 1, 1]),
      isWhole: true,
    });
  });

  it('ends an answer that never does within a piece, and lets go of it', async () => {
    const { response, isCancelled } = answer(Number.POSITIVE_INFINITY);
    expect(await readAtMost(response, 6)).toEqual({
      bytes: Buffer.from([0, 0, 0, 0, 1, 1]),
      isWhole: false,
    });
    expect(isCancelled()).toBe(true);
  });

  it('has nothing where there is no body', async () => {
    expect(await readAtMost(new Response(null), 8)).toEqual({ bytes: Buffer.alloc(0), isWhole: true });
  });
});
