import { describe, expect, it } from 'vitest';
import { answerWhole } from './answer-whole.ts';

/** A body of so many parts of 1000 bytes, each once it is asked for, and what became of it. */
function bodyOf(parts: number): {
  readonly body: ReadableStream<Uint8Array>;
  readonly seen: { sent: number; ended: boolean; cancelled: boolean };
} {
  const seen = { sent: 0, ended: false, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(to) {
        // As a network does, it leaves others their turn.
        await new Promise(setImmediate);
        if (seen.sent === parts) {
          seen.ended = true;
          to.close();
          return;
        }
        seen.sent += 1;
        to.enqueue(new Uint8Array(1000));
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

const post = (body: ReadableStream<Uint8Array>, headers: Readonly<Record<string, string>> = {}): Request =>
  new Request('https://worker/v1/query', {
    method: 'POST',
    body,
    headers,
    duplex: 'half',
  } as RequestInit);

/** An application that reads three parts of a body and answers with this status. */
const answering = (status: number) => ({
  async fetch(request: Request): Promise<Response> {
    const reader = request.body!.getReader();
    for (let i = 0; i < 3; i += 1) await reader.read();
    reader.cancel().catch(() => undefined);
    return new Response('answered', { status });
  },
});

describe('a body in chunks that is refused', () => {
  it.each([413, 415, 400])('is read to its end before the answer: status %i', async (status) => {
    const { body, seen } = bodyOf(400);
    const response = await answerWhole(answering(status), post(body));
    expect([response.status, await response.text()]).toEqual([status, 'answered']);
    expect(seen).toEqual({ sent: 400, ended: true, cancelled: false });
  });

  it('would not be read to its end by the application alone', async () => {
    const { body, seen } = bodyOf(400);
    await answering(413).fetch(post(body));
    expect(seen.sent).toBeLessThan(10);
  });

  it('that does not end is cancelled, and answered', async () => {
    const { body, seen } = bodyOf(Number.POSITIVE_INFINITY);
    expect((await answerWhole(answering(413), post(body))).status).toBe(413);
    expect(seen).toMatchObject({ ended: false, cancelled: true });
  });
});

it.each<[string, number, Readonly<Record<string, string>>]>([
  ['that is answered', 200, {}],
  ['whose length was said', 413, { 'content-length': '400000' }],
])('no more of a body is read than the application reads: %s', async (_, status, headers) => {
  const { body, seen } = bodyOf(400);
  expect((await answerWhole(answering(status), post(body, headers))).status).toBe(status);
  expect(seen.sent).toBeLessThan(10);
});
