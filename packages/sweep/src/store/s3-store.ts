import { open } from 'node:fs/promises';
import { expectOptions, FuzzError } from '@fuzzqe/core';
import { readFully, writeFileWhole } from '@fuzzqe/files';
import { makesOnce } from './makes-once.ts';
import { type S3Answer, type S3Patience, type S3Request, s3Code, s3Requests } from './s3-requests.ts';
import type { S3Settings } from './s3-settings.ts';
import { keyPattern, type StorePatience, type SweepStore } from './sweep-store.ts';

/** Bytes of a part of a file: what is held in memory at once, and sent again where it is lost. */
const usualPart = 16 * 2 ** 20;
/** S3 takes 10 000 parts. */
const mostParts = 9000;
/** Bytes of a listing, which has at most 1000 keys of at most 1024 bytes. */
const mostOfListing = 8 * 2 ** 20;
/** Keys of a sweep: more than 10 000 trials have. */
const mostKeys = 2_000_000;
/** Milliseconds that the parts of a large file may take to be joined. */
const joinTimeout = 600_000;

/** What a store takes at once, and in all. */
export interface S3StoreLimits {
  /** Bytes of a part of a file. */
  readonly partBytes?: number;
  /** Bytes of a file that is fetched, at most. Default 64 GiB. */
  readonly mostBytes?: number;
}

/**
 * A store in a bucket of an S3-compatible server that knows `If-None-Match: *`.
 *
 * @example
 * const keys = { accessKeyId: 'key', secretAccessKey: text };
 * const place = { bucket: 'sweeps', prefix: 'mine', endpoint: 'https://s3.example.org', region: 'eu' };
 * const store = s3Store({ ...place, ...keys });
 */
export function s3Store(
  settings: S3Settings,
  { partBytes = usualPart, mostBytes = 64 * 2 ** 30, ...requests }: S3Patience & S3StoreLimits = {},
): SweepStore {
  expectOptions('s3Store', settings, ['bucket', 'prefix', 'endpoint', 'region']);
  const { bucket, prefix } = settings;
  const name = `s3://${bucket}/${prefix}`;
  const request = s3Requests(settings, requests);
  const send = (each: S3Request): Promise<S3Answer> => {
    // Without a key it is the bucket, which is listed and nothing else.
    const isList = each.key === '' && each.query?.['list-type'] !== undefined;
    if (!isList && !keyPattern.test(each.key))
      throw new FuzzError('usage', `no key of a store: ${each.key}`, { path: name });
    return request(each);
  };
  const create = async (key: string, text: string, patience?: StorePatience): Promise<boolean> => {
    const headers = { 'if-none-match': '*', 'content-type': 'application/json' };
    const answer = await send({ ...patience, method: 'PUT', key, headers, body: text, expected: [412] });
    if (answer.status !== 412) return true;
    if (!answer.repeated) return false;
    // An attempt may have been carried out whose answer was lost: then what stands there is ours.
    return (await store.read(key, patience))?.text === text;
  };
  const store: SweepStore = {
    name,
    create,
    async read(key, patience) {
      const answer = await send({ ...patience, method: 'GET', key, expected: [404] });
      if (answer.status === 404) return missing(name, answer);
      const [now, written] = ['date', 'last-modified'].map((each) =>
        Date.parse(answer.headers.get(each) ?? ''),
      );
      const age = (now! - written!) / 1000;
      return {
        text: Buffer.from(answer.body).toString('utf8'),
        // Without the times of the server nothing is old.
        age: Number.isFinite(age) ? Math.max(0, age) : 0,
      };
    },
    async write(key, text, patience) {
      const headers = { 'content-type': 'application/json' };
      await send({ ...patience, method: 'PUT', key, headers, body: text });
    },
    async list(begin, patience) {
      const keys: string[] = [];
      const tokens = new Set<string>();
      let token: string | undefined;
      do {
        const query = {
          'list-type': '2',
          prefix: `${prefix}${begin}`,
          ...(token === undefined ? {} : { 'continuation-token': token }),
        };
        const { body } = await send({ ...patience, method: 'GET', key: '', query, most: mostOfListing });
        const text = Buffer.from(body).toString('utf8');
        for (const [, key] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) keys.push(key!.slice(prefix.length));
        token = /<IsTruncated>true</.test(text)
          ? unescaped(/<NextContinuationToken>([^<]*)</.exec(text)?.[1])
          : undefined;
        if ((token !== undefined && tokens.has(token)) || keys.length > mostKeys)
          throw untrue(name, 'its listing does not end');
        if (token !== undefined) tokens.add(token);
      } while (token !== undefined);
      return keys.filter((key) => keyPattern.test(key)).sort();
    },
    async remove(key, patience) {
      await send({ ...patience, method: 'DELETE', key, expected: [404] });
    },
    async upload(key, path, patience) {
      const sendOn = (each: S3Request): Promise<S3Answer> => send({ ...patience, ...each });
      const file = await open(path, 'r');
      try {
        const { size } = await file.stat();
        const part = Math.max(partBytes, Math.ceil(size / mostParts));
        const read = async (from: number): Promise<Uint8Array<ArrayBuffer>> => {
          const bytes = new Uint8Array(Math.min(part, size - from));
          await readFully(file, bytes, from, { path });
          return bytes;
        };
        if (size <= part) await sendOn({ method: 'PUT', key, body: await read(0) });
        else await inParts(sendOn, key, { size, part, read });
      } finally {
        await file.close();
      }
    },
    async download(key, path, patience) {
      const ask = (from: number, headers: Readonly<Record<string, string>> = {}): Promise<S3Answer> =>
        send({
          ...patience,
          ...{ method: 'GET', key, most: partBytes, expected: from === 0 ? [404, 416] : [] },
          headers: { ...range(from, partBytes), ...headers },
        });
      const first = await ask(0);
      if (first.status === 404) return missing(name, first) ?? false;
      const total = first.status === 206 ? totalOf(first) : first.body.length;
      if (total > mostBytes) throw untrue(name, `a file has ${total} bytes, expected at most ${mostBytes}`);
      if (first.status === 206) expectPart(name, first, { from: 0, total, partBytes });
      const tag = first.headers.get('etag');
      await writeFileWhole(path, async (file) => {
        // 416: the file is empty.
        if (first.status === 416) return;
        await file.write(first.body);
        for (let at = first.body.length; at < total; ) {
          // One that was replaced meanwhile is not continued.
          const answer = await ask(at, tag === null ? {} : { 'if-match': tag });
          expectPart(name, answer, { from: at, total, partBytes });
          await file.write(answer.body);
          at += answer.body.length;
        }
      });
      return true;
    },
    async expectExclusive(patience) {
      if (await makesOnce(store, patience)) return;
      throw new FuzzError(
        'runtime',
        'the store ignores If-None-Match, so that trials cannot be claimed in it',
        {
          path: name,
          hint: 'Take a server that has conditional writes (Amazon S3, MinIO, Ceph, Cloudflare R2, VersityGW), or a shared folder.',
        },
      );
    },
  };
  return store;
}

async function inParts(
  send: (request: S3Request) => Promise<S3Answer>,
  key: string,
  file: {
    readonly size: number;
    readonly part: number;
    read(from: number): Promise<Uint8Array<ArrayBuffer>>;
  },
): Promise<void> {
  const begun = await send({ method: 'POST', key, query: { uploads: '' } });
  const uploadId = unescaped(/<UploadId>([^<]+)</.exec(Buffer.from(begun.body).toString('utf8'))?.[1]) ?? '';
  try {
    const tags: string[] = [];
    for (let from = 0; from < file.size; from += file.part) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      const { headers } = await send({ method: 'PUT', key, query, body: await file.read(from) });
      tags.push(headers.get('etag') ?? '');
    }
    const parts = tags.map(
      (tag, i) =>
        `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag.replaceAll('"', '&quot;')}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
    const done = await send({
      ...{ method: 'POST', key, query: { uploadId }, body, expected: [404] },
      // It may fail after it has said that it goes well.
      ...{ failsInBody: true, timeout: joinTimeout },
    });
    if (done.status !== 404) return;
    // An attempt may have joined them whose answer was lost: then the file is there.
    if (done.repeated) {
      const found = await send({ method: 'GET', key, headers: range(0, 1), expected: [404, 416] });
      if (found.status === 206 && totalOf(found) === file.size) return;
    }
    throw new FuzzError(
      'runtime',
      `the store could not join the parts of a file (404 ${s3Code(done.body)})`,
      {
        path: key,
        hint: 'The upload may have been ended elsewhere: try again.',
      },
    );
  } catch (cause) {
    // The parts are removed whatever ended it, in one short attempt.
    await send({
      ...{ method: 'DELETE', key, query: { uploadId }, expected: [404] },
      ...{ attempts: 1, timeout: 5000, signal: undefined },
    }).catch(() => {});
    throw cause;
  }
}

/** Bytes of the whole file, of which an answer is a part; NaN where it does not say. */
function totalOf({ headers }: S3Answer): number {
  return Number(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? Number.NaN);
}

/** @throws FuzzError `runtime`: the answer is not exactly the part that was asked for. */
function expectPart(
  name: string,
  { status, headers, body }: S3Answer,
  { from, total, partBytes }: { readonly from: number; readonly total: number; readonly partBytes: number },
): void {
  const to = Math.min(from + partBytes, total) - 1;
  const expected = `bytes ${from}-${to}/${total}`;
  const said = headers.get('content-range') ?? 'none';
  if (status === 206 && said === expected && body.length === to - from + 1 && body.length > 0) return;
  throw untrue(
    name,
    `expected a part as ${JSON.stringify(expected)}, got status ${status}, ${JSON.stringify(said.slice(0, 80))} and ${body.length} bytes`,
  );
}

function untrue(name: string, what: string): FuzzError {
  return new FuzzError('runtime', `the store gives a wrong answer: ${what}`, {
    path: name,
    hint: 'Check AWS_ENDPOINT_URL: the server has to know ranges and listings as S3 does.',
  });
}

/** Nothing, unless it is the bucket that is not there. */
function missing(name: string, { body }: S3Answer): undefined {
  if (s3Code(body) !== 'NoSuchBucket') return undefined;
  throw new FuzzError('runtime', 'the store has no such bucket (404 NoSuchBucket)', {
    path: name,
    hint: 'Make it first, or check AWS_ENDPOINT_URL.',
  });
}

function range(from: number, bytes: number): Readonly<Record<string, string>> {
  return { range: `bytes=${from}-${from + bytes - 1}` };
}

function unescaped(text: string | undefined): string | undefined {
  return text
    ?.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
