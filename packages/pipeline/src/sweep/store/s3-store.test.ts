import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { S3Patience } from './s3-requests.ts';
import { type S3Settings, s3Settings } from './s3-settings.ts';
import { s3Store } from './s3-store.ts';
import type { SweepStore } from './sweep-store.ts';

type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

const secret = 'wJalrXUtnFEMI-never-printed';
const id = 'AKIA-never-printed';

let server: Server | undefined;
const objects = new Map<string, string>();

/** A bucket in this process, which fails as it is told; servers that are real have a test of their own (test/services). */
async function faulty(fault: Fault, patience: S3Patience = {}): Promise<SweepStore> {
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

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)));
  server = undefined;
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
