import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import { readFully, writeFileWhole } from '@fuzzqe/files';
import { type S3Answer, type S3Patience, type S3Request, s3Code, s3Requests } from './s3-requests.ts';
import type { S3Settings } from './s3-settings.ts';
import { keyPattern, type SweepStore } from './sweep-store.ts';

/** Bytes of a part of a file: what is held in memory at once, and sent again where it is lost. */
const usualPart = 16 * 2 ** 20;
/** S3 takes 10 000 parts. */
const mostParts = 9000;

/** A store in a bucket of an S3-compatible server that knows `If-None-Match: *`. */
export function s3Store(
  settings: S3Settings,
  { partBytes = usualPart, ...patience }: S3Patience & { readonly partBytes?: number } = {},
): SweepStore {
  const { bucket, prefix } = settings;
  const name = `s3://${bucket}/${prefix}`;
  const request = s3Requests(settings, patience);
  const send = (each: S3Request): Promise<S3Answer> => {
    // Without a key it is the bucket, which is listed and nothing else.
    const isList = each.key === '' && each.query?.['list-type'] !== undefined;
    if (!isList && !keyPattern.test(each.key))
      throw new FuzzError('usage', `no key of a store: ${each.key}`, { path: name });
    return request(each);
  };
  const create = async (key: string, text: string): Promise<boolean> => {
    const headers = { 'if-none-match': '*', 'content-type': 'application/json' };
    const answer = await send({ method: 'PUT', key, headers, body: text, expected: [412] });
    if (answer.status !== 412) return true;
    if (!answer.repeated) return false;
    // An attempt may have been carried out whose answer was lost: then what stands there is ours.
    return (await store.read(key))?.text === text;
  };
  const store: SweepStore = {
    name,
    create,
    async read(key) {
      const answer = await send({ method: 'GET', key, expected: [404] });
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
    async write(key, text) {
      await send({ method: 'PUT', key, headers: { 'content-type': 'application/json' }, body: text });
    },
    async list(begin) {
      const keys: string[] = [];
      let token: string | undefined;
      do {
        const query = {
          'list-type': '2',
          prefix: `${prefix}${begin}`,
          ...(token === undefined ? {} : { 'continuation-token': token }),
        };
        const { body } = await send({ method: 'GET', key: '', query });
        const text = Buffer.from(body).toString('utf8');
        for (const [, key] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) keys.push(key!.slice(prefix.length));
        token = /<IsTruncated>true</.test(text)
          ? unescaped(/<NextContinuationToken>([^<]*)</.exec(text)?.[1])
          : undefined;
      } while (token !== undefined);
      return keys.filter((key) => keyPattern.test(key)).sort();
    },
    async remove(key) {
      await send({ method: 'DELETE', key, expected: [404] });
    },
    async upload(key, path) {
      const file = await open(path, 'r');
      try {
        const { size } = await file.stat();
        const part = Math.max(partBytes, Math.ceil(size / mostParts));
        const read = async (from: number): Promise<Uint8Array<ArrayBuffer>> => {
          const bytes = new Uint8Array(Math.min(part, size - from));
          await readFully(file, bytes, from, { path });
          return bytes;
        };
        if (size <= part) await send({ method: 'PUT', key, body: await read(0) });
        else await inParts(send, key, { size, part, read });
      } finally {
        await file.close();
      }
    },
    async download(key, path) {
      const first = await send({ method: 'GET', key, headers: range(0, partBytes), expected: [404, 416] });
      if (first.status === 404) return missing(name, first) ?? false;
      await writeFileWhole(path, async (file) => {
        // 416: the file is empty.
        if (first.status === 416) return;
        await file.write(first.body);
        const total = Number(
          /\/(\d+)$/.exec(first.headers.get('content-range') ?? '')?.[1] ?? first.body.length,
        );
        const tag = first.headers.get('etag');
        for (let at = first.body.length; at < total; ) {
          // One that was replaced meanwhile is not continued.
          const headers = { ...range(at, partBytes), ...(tag === null ? {} : { 'if-match': tag }) };
          const { body } = await send({ method: 'GET', key, headers });
          await file.write(body);
          at += body.length;
        }
      });
      return true;
    },
    async expectExclusive() {
      const probe = `probe-${randomUUID()}.json`;
      try {
        if ((await create(probe, '1')) && !(await create(probe, '2'))) return;
      } finally {
        await store.remove(probe);
      }
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
    const done = await send({ method: 'POST', key, query: { uploadId }, body });
    // It may fail after it has said that it goes well.
    const code = s3Code(done.body);
    if (code !== '')
      throw new FuzzError('runtime', `the store could not join the parts of a file (${code})`, { path: key });
  } catch (cause) {
    await send({ method: 'DELETE', key, query: { uploadId }, expected: [404] }).catch(() => {});
    throw cause;
  }
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
