import { problemOf } from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { createIndexCalls } from './index-calls.ts';

const address = { kind: 'postgres', secrets: ['hunter2'] } as const;
const quick = { backOff: 1, timeout: 50 };
const calls = () => createIndexCalls(address, 'mine at postgres://db.example/kg', quick);

/** Work that fails with each of these, then gives 7; and how often it was tried. */
function failing(...errors: readonly unknown[]) {
  let tried = 0;
  const work = async (): Promise<number> => {
    tried += 1;
    const error = errors[tried - 1];
    if (error !== undefined) throw error;
    return 7;
  };
  return { work, tried: () => tried };
}

const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED' });

describe('calls of a database', () => {
  it('are made again where they failed, and answered when it is back', async () => {
    const { work, tried } = failing(refused, refused);
    const index = calls();
    const seen: boolean[] = [];
    const watched = (): Promise<number> => {
      seen.push(index.failure === undefined);
      return work();
    };
    await expect(index.call(watched)).resolves.toBe(7);
    expect([tried(), index.failure]).toEqual([3, undefined]);
    // What an attempt mends was never away.
    expect(seen).toEqual([true, true, true]);
  });

  it('end with an error that names the index, without what lets in, and with a text for callers that names no host', async () => {
    const index = calls();
    const { work, tried } = failing(
      ...Array.from(
        { length: 9 },
        () => new Error('cannot connect to postgres://u:hunter2@h, password hunter2'),
      ),
    );
    const error = await index.call(work).catch((cause: unknown) => cause);
    if (!(error instanceof FuzzError)) throw new Error('expected a FuzzError');
    expect(error).toMatchObject({ code: 'runtime', path: 'mine at postgres://db.example/kg' });
    expect(`${error}${error.stack}${JSON.stringify(error)}`).not.toContain('hunter2');
    expect([tried(), index.failure]).toEqual([3, error]);
    const problem = problemOf(error, 'r1');
    expect(problem).toMatchObject({
      status: 503,
      detail: 'The entity index mine (postgres) cannot be reached.',
    });
    expect(JSON.stringify(problem)).not.toContain('db.example');
  });

  it('say what an object store answered, once, without the request that it repeats', async () => {
    const said = `Invalid input: RetryError { uri: Some(http://h/bucket), inner: Status { status: 403, body: Some("<Error><Code>SignatureDoesNotMatch</Code>
      <Message>The signature does not match.</Message><StringToSign>AWS4 signed</StringToSign></Error>") } }`;
    const { work, tried } = failing(new Error(said));
    const error = await calls()
      .call(work)
      .catch((cause: unknown) => cause as Error);
    expect(`${error}`).toContain('cannot be reached: SignatureDoesNotMatch: The signature does not match.');
    expect(`${error}`).not.toContain('AWS4');
    expect(tried()).toBe(1);
  });

  it('are given up where no answer comes in time, and by whoever wanted them', async () => {
    const never = (): Promise<never> => new Promise(() => {});
    await expect(calls().call(never, {}, { retries: 0, timeout: 5 })).rejects.toThrow(
      'no answer within 5 ms',
    );
    const stop = new AbortController();
    const given = calls().call(never, { signal: stop.signal }, { timeout: 60_000 });
    stop.abort();
    await expect(given).rejects.toMatchObject({ code: 'interrupted' });
    const late = calls().call(never, { deadline: performance.now() + 5 }, { timeout: 60_000 });
    await expect(late).rejects.toMatchObject({ code: 'deadline' });
  });

  it.each([
    ['here', undefined],
    ['in the driver', new Error('Query read timeout')],
    ['in the database', Object.assign(new Error('canceling statement'), { code: '57014' })],
    ['in Milvus', Object.assign(new Error('DEADLINE_EXCEEDED'), { code: 4 })],
  ])('that were too slow %s do not make it away, unless they ask just that', async (_, error) => {
    const slow = (): Promise<never> => (error === undefined ? new Promise(() => {}) : Promise.reject(error));
    const index = calls();
    const patience = { retries: 0, timeout: 5 };
    await expect(index.call(slow, {}, patience)).rejects.toMatchObject({ code: 'runtime' });
    expect(index.failure).toBeUndefined();
    await expect(index.call(slow, {}, { ...patience, decides: true })).rejects.toThrow();
    expect(index.failure).toMatchObject({ code: 'runtime' });
  });

  it.each([
    [
      'a wrong password',
      Object.assign(new Error('password authentication failed'), { code: '28P01' }),
      'runtime',
    ],
    ['a right that is missing', Object.assign(new Error('permission denied'), { code: '42501' }), 'runtime'],
    ['what another attempt would not change', new FuzzError('bundle', 'of another bundle'), 'bundle'],
  ])('are made once with %s, which lasts until somebody mends it', async (_, error, code) => {
    const { work, tried } = failing(error, error, error);
    await expect(calls().call(work)).rejects.toMatchObject({ code, passing: false });
    expect(tried()).toBe(1);
  });
});
