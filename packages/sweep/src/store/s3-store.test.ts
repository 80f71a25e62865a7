import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readClaim, takeClaim } from '../claim.ts';
import type { S3Patience } from './s3-requests.ts';
import { type S3Settings, s3Settings } from './s3-settings.ts';
import { type S3StoreLimits, s3Store } from './s3-store.ts';
import type { SweepStore } from './sweep-store.ts';

type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

const secret = 'wJalrXUtnFEMI-never-printed';
const id = 'AKIA-never-printed';

let server: Server | undefined;
const objects = new Map<string, string>();

/** A bucket in this process, which fails as it is told; servers that are real have a test of their own (test/services). */
async function faulty(fault: Fault, patience: S3Patience & S3StoreLimits = {}): Promise<SweepStore> {
  objects.clear();
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (fault(request, response)) return;
      const key = request.url!.split('?')[0]!;
      if (request.method === 'PUT') {
        if (request.headers['if-none-match'] === '*' && objects.has(key)) response.statusCode = 412;
        else objects.set(key, Buffer.concat(parts).toString());
        response.end();
        return;
      }
      const found = objects.get(key);
      if (found === undefined) response.statusCode = 404;
      response.end(found ?? '<Error><Code>NoSuchKey</Code></Error>');
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return s3Store(settings(`http://127.0.0.1:${port}`), { pause: async () => {}, ...patience });
}

const settings = (endpoint: string): S3Settings =>
  s3Settings('s3://bucket/sweeps/one', {
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_ENDPOINT_URL: endpoint,
  });

/** Fails the first requests. */
const first = (count: number, how: (response: ServerResponse, request: IncomingMessage) => void): Fault => {
  let seen = 0;
  return (request, response) => {
    seen += 1;
    if (seen > count) return false;
    how(response, request);
    return true;
  };
};
const status =
  (code: number, body = '') =>
  (response: ServerResponse): void => {
    response.statusCode = code;
    response.end(body);
  };

let scratch = '';
async function close(): Promise<void> {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)));
  server = undefined;
}
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fuzzqe-bucket-'));
});
afterEach(async () => {
  await close();
  await rm(scratch, { recursive: true });
});

describe('a store in a bucket', () => {
  it.each([
    ['is overloaded', status(503, '<Error><Code>SlowDown</Code></Error>')],
    ['asks for fewer requests', status(429)],
    ['cuts the connection', (response: ServerResponse): void => void response.socket!.destroy()],
  ])('is asked again where it %s', async (_, how) => {
    const store = await faulty(first(3, how));
    await store.write('a.json', '1');
    expect((await store.read('a.json'))?.text).toBe('1');
  });

  it('is given up where it stays so, and named', async () => {
    const store = await faulty(() => false, { attempts: 2 });
    await store.write('a', '1');
    await new Promise((resolve) => server!.close(resolve));
    server!.closeAllConnections();
    await expect(store.read('a')).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringMatching(/cannot be reached at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/),
      path: 's3://bucket/sweeps/one/',
    });
  });

  const target = (): string => join(scratch, 'fetched');
  const part =
    (from: number, to: number, total: number, body: string): ((response: ServerResponse) => void) =>
    (response) =>
      void response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${total}` }).end(body);
  /** One answer after the other, the last again and again. */
  const inTurn = (...answers: readonly ((response: ServerResponse) => void)[]): Fault => {
    let count = 0;
    return (_, response) => {
      answers[Math.min(count, answers.length - 1)]!(response);
      count += 1;
      return true;
    };
  };

  it.each([
    ['are empty', [part(0, 3, 8, 'abcd'), part(4, 7, 8, '')]],
    ['begin elsewhere', [part(0, 3, 8, 'abcd'), part(0, 3, 8, 'abcd')]],
    ['are the whole file again', [part(0, 3, 8, 'abcd'), status(200, 'abcd')]],
    ['are of another length', [part(0, 3, 8, 'abcd'), part(4, 7, 9, 'efgh')]],
    ['do not say what they are', [status(206, 'abcd')]],
    ['are of more than a file may have', [part(0, 3, 101, 'abcd')]],
    ['are longer than asked for', [status(200, 'abcde')]],
  ])('is refused where the parts of a file %s', async (_, answers) => {
    const store = await faulty(inTurn(...answers), { partBytes: 4, mostBytes: 100 });
    await expect(store.download('a', target())).rejects.toMatchObject({ code: 'runtime' });
    expect(await readdir(scratch)).toEqual([]);
  });

  it('gives a file in the parts that were asked for', async () => {
    const answers = inTurn(part(0, 3, 6, 'abcd'), part(4, 5, 6, 'ef'));
    const store = await faulty(answers, { partBytes: 4, mostBytes: 6 });
    expect(await store.download('a', target())).toBe(true);
    expect(await readFile(target(), 'utf8')).toBe('abcdef');
  });

  it('is refused where a text or a listing does not end', async () => {
    const long = await faulty(inTurn(status(200, 'x'.repeat(2 ** 20 + 1))));
    await expect(long.read('a')).rejects.toThrow(/more than 1048576 bytes/);
    await close();
    const page = '<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>';
    const endless = await faulty(inTurn(status(200, page)));
    await expect(endless.list('')).rejects.toThrow(/listing does not end/);
  });

  it('ends its requests by a signal, in the waits between them as well', async () => {
    const stop = new AbortController();
    const pause = async (): Promise<void> => stop.abort();
    const store = await faulty(inTurn(status(503)), { pause });
    await expect(store.write('a', '', { signal: stop.signal })).rejects.toMatchObject({
      code: 'interrupted',
    });
  });

  it.each([
    ['was told only at a second time', 5, true],
    ['is of another size', 6, false],
  ])('knows a file whose joining %s', async (_, size, isThere) => {
    const source = join(scratch, 'source');
    await writeFile(source, 'abcde');
    let joins = 0;
    const store = await faulty(
      ({ method, url }, response) => {
        if (method === 'POST' && url!.includes('uploads')) status(200, '<UploadId>u</UploadId>')(response);
        else if (method === 'POST') {
          joins += 1;
          if (joins === 1) status(200, '<Error><Code>InternalError</Code></Error>')(response);
          else status(404, '<Error><Code>NoSuchUpload</Code></Error>')(response);
        } else if (method === 'GET') part(0, 0, size, 'a')(response);
        else status(200)(response);
        return true;
      },
      { partBytes: 4 },
    );
    const uploaded = store.upload('a', source).then(
      () => true,
      () => false,
    );
    expect(await uploaded).toBe(isThere);
    expect(joins).toBe(2);
  });

  it('is not waited for longer than the time-out', async () => {
    const store = await faulty(() => true, { attempts: 2, timeout: 20 });
    await expect(store.read('a')).rejects.toThrow(/no answer in time/);
  });

  it('is asked once where it refuses for good', async () => {
    let asked = 0;
    const store = await faulty((_, response) => {
      asked += 1;
      status(400, '<Error><Code>InvalidRequest</Code></Error>')(response);
      return true;
    });
    await expect(store.write('a', '')).rejects.toThrow(/refuses a request \(400 InvalidRequest\)/);
    expect(asked).toBe(1);
  });

  it('knows its own key again whose first answer was lost, and no other', async () => {
    // What it is told is kept; the answer is cut off.
    const keep: Fault = first(1, (response, request) => {
      objects.set(request.url!, 'mine');
      response.socket!.destroy();
    });
    const store = await faulty(keep);
    expect(await store.create('claim.json', 'mine')).toBe(true);
    expect(await store.create('claim.json', 'mine')).toBe(false);
    const other = first(1, (response, request) => {
      objects.set(request.url!, 'of another');
      response.socket!.destroy();
    });
    server!.closeAllConnections();
    await new Promise((resolve) => server!.close(resolve));
    expect(await (await faulty(other)).create('claim.json', 'mine')).toBe(false);
  });

  it('has a claim released whose request a signal ended after it was carried out', async () => {
    const stop = new AbortController();
    const store = await faulty((request, response) => {
      if (request.method === 'PUT' && !stop.signal.aborted) {
        // The answer never comes.
        response.end = () => response;
        stop.abort();
      }
      return false;
    });
    await expect(takeClaim(store, 0, 1, { signal: stop.signal })).rejects.toMatchObject({
      code: 'interrupted',
    });
    expect(await readClaim(store, 0, 1)).toMatchObject({ state: 'released', isAlive: false });
    // The control: nothing is released that nobody stopped.
    await (await takeClaim(store, 1, 1))!.end({ release: false });
    expect(await readClaim(store, 1, 1)).toMatchObject({ state: 'held' });
  });

  it('is refused where it ignores If-None-Match', async () => {
    const store = await faulty((request) => {
      delete request.headers['if-none-match'];
      return false;
    });
    await expect(store.expectExclusive()).rejects.toThrow(/ignores If-None-Match/);
    expect([...objects.keys()].filter((key) => !key.includes('probe-'))).toEqual([]);
  });

  it('tells nothing of the credentials that it refuses, in any part of the error', async () => {
    const store = await faulty((request, response) => {
      // As servers do, with all that they were sent.
      const signed = `<AWSAccessKeyId>${id}</AWSAccessKeyId><Said>${request.headers.authorization}</Said>`;
      status(403, `<Error><Code>SignatureDoesNotMatch</Code>${signed}</Error>`)(response);
      return true;
    });
    const error: unknown = await store.read('a').then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({
      code: 'runtime',
      message: expect.stringContaining('SignatureDoesNotMatch'),
    });
    const all = `${error} ${JSON.stringify(error)} ${(error as Error).stack} ${String((error as Error).cause)}`;
    expect(all).not.toMatch(/never-printed|Signature=/);
  });
});

describe('the settings of a bucket', () => {
  const env = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };

  it('come from the usual variables', () => {
    expect(
      s3Settings('s3://bucket/a/b/', { ...env, AWS_REGION: 'eu-north-1', AWS_SESSION_TOKEN: 't' }),
    ).toEqual({
      ...{ bucket: 'bucket', prefix: 'a/b/', region: 'eu-north-1', sessionToken: 't' },
      ...{ accessKeyId: id, secretAccessKey: secret, endpoint: 'https://s3.eu-north-1.amazonaws.com' },
    });
    expect(
      s3Settings('s3://bucket', { ...env, AWS_ENDPOINT_URL: 'http://h:1/', AWS_ENDPOINT_URL_S3: '' }),
    ).toMatchObject({
      ...{ prefix: '', endpoint: 'http://h:1', region: 'us-east-1' },
    });
  });

  it('name the variables that are missing', () => {
    expect(() => s3Settings('s3://bucket', { AWS_ACCESS_KEY_ID: id })).toThrow(
      /AWS_SECRET_ACCESS_KEY is not set/,
    );
    expect(() => s3Settings('s3://bucket', {})).toThrow(/AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/);
  });

  it.each(['s3://', 's3://B', 's3://bucket/a b', 's3://bucket/../x', 's3://bucket/a/./b', 's3://bucket//x'])(
    'are refused for %s',
    (address) => {
      expect(() => s3Settings(address, env)).toThrow(/expected s3:\/\/bucket\/prefix/);
    },
  );

  it('take no address with a password', () => {
    const given = { ...env, AWS_ENDPOINT_URL: 'http://user:never-printed@host' };
    expect(() => s3Settings('s3://bucket', given)).toThrow(/no user/);
    expect(() => s3Settings('s3://bucket', given)).not.toThrow(/never-printed/);
  });
});
