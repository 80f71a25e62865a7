import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchFile } from '@fuzzqe/files';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { downloadDataset, readDataset } from '../index.ts';
import { betaEFiles } from '../testing/betae-files.ts';
import { writeZip } from '../testing/write-zip.ts';
import type { DownloadSource } from './sources.ts';

const archive = writeZip(
  new Map<string, string | Uint8Array>([
    ['KG_data/other-betae/train.txt', 'not read'],
    ...[...betaEFiles()].map(([name, content]) => [`KG_data/tiny-betae/${name}`, content] as const),
    ['__MACOSX/KG_data/tiny-betae/._train.txt', 'not read'],
    ['filler.bin', createHash('shake256', { outputLength: 200_000 }).update('not to be compressed').digest()],
  ]),
);
const sha256 = createHash('sha256').update(archive).digest('hex');

let folder = '';
let url = '';
let requests: { readonly range: string | undefined; readonly status: number }[] = [];
/** How the server behaves; each test sets what it needs. */
let ranges = true;
let etag = '"v1"';
/** After how many bytes the next answers break off. */
let cuts: number[] = [];

function serve(request: IncomingMessage, response: ServerResponse): void {
  const { range } = request.headers;
  const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  const isPart = ranges && start > 0 && request.headers['if-range'] === etag;
  const from = isPart ? start : 0;
  const status = isPart && start >= archive.length ? 416 : isPart ? 206 : 200;
  requests.push({ range, status });
  if (status === 416) {
    response.writeHead(416, { 'content-range': `bytes */${archive.length}` }).end();
    return;
  }
  response.writeHead(status, {
    'content-length': archive.length - from,
    ...(etag === '' ? {} : { etag }),
    ...(isPart ? { 'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}` } : {}),
  });
  const cut = cuts.shift();
  if (cut === undefined) response.end(archive.subarray(from));
  else response.write(archive.subarray(from, from + cut), () => setTimeout(() => response.destroy(), 200));
}

const server = createServer(serve);
beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/KG_data.zip`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-download-'));
  [requests, ranges, etag, cuts] = [[], true, '"v1"', []];
});
afterEach(() => rm(folder, { recursive: true }));

const source = (more: Partial<Pick<DownloadSource, 'url' | 'sha256' | 'md5' | 'folder' | 'facts'>> = {}) => ({
  url,
  folder: 'tiny-betae',
  licence: 'unknown',
  description: 'A test.',
  ...more,
});
const path = (name: string): string => join(folder, name);
const fetching = { retryDelay: 1 };

describe('a download', () => {
  it('becomes a data set, and leaves nothing beside it', async () => {
    const stages: string[] = [];
    const downloaded = await downloadDataset({
      name: 'tiny',
      source: source({ sha256: sha256.toUpperCase() }),
      out: path('tiny'),
      onStage: (stage) => stages.push(stage),
    });
    expect(stages).toEqual(['download', 'check', 'unpack', 'import']);
    expect(downloaded).toMatchObject({ archiveSha256: sha256, isChecked: true });
    expect(await readdir(folder)).toEqual(['tiny']);
    const dataset = await readDataset(path('tiny'));
    expect(dataset.origin).toEqual({ format: 'betae', inverses: 'given', url, archiveSha256: sha256 });
    expect(await readdir(path('tiny/queries'))).toEqual(['train.jsonl', 'valid.jsonl']);
  });

  it('keeps the archive where it is told to, and uses it the next time', async () => {
    const options = { name: 'tiny', source: source(), archive: path('KG.zip') };
    expect((await downloadDataset({ ...options, out: path('one') })).isChecked).toBe(false);
    await downloadDataset({ ...options, out: path('two') });
    expect(requests).toHaveLength(1);
    expect((await readdir(folder)).sort()).toEqual(['KG.zip', 'one', 'two']);
  });

  it('with another hash is removed and refused', async () => {
    const wrong = downloadDataset({
      name: 'tiny',
      source: source({ sha256: '0'.repeat(64) }),
      out: path('tiny'),
    });
    await expect(wrong).rejects.toMatchObject({
      code: 'data',
      path: url,
      message: expect.stringContaining(sha256),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is held against an MD5 where no SHA-256 is known', async () => {
    const md5 = createHash('md5').update(archive).digest('hex');
    const options = { name: 'tiny', out: path('tiny') };
    const wrong = downloadDataset({ ...options, source: source({ md5: '0'.repeat(32) }) });
    await expect(wrong).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining(md5),
      hint: expect.stringContaining(`--sha256 ${sha256}`),
    });
    // It is kept, so that nobody has to fetch it again who knows better.
    expect(await readdir(folder)).toEqual(['tiny.zip']);
    expect(
      await downloadDataset({ ...options, source: source({ md5: '0'.repeat(32), sha256 }) }),
    ).toMatchObject({
      isChecked: true,
    });
    expect(requests).toHaveLength(1);
    const right = downloadDataset({ ...options, out: path('two'), source: source({ md5 }) });
    expect((await right).isChecked).toBe(true);
  });

  it('has to be what it was the first time, from then on', async () => {
    const lock = path('downloads.lock.json');
    const secret = source({ url: `${url}?token=s3cret` });
    const first = await downloadDataset({ name: 'tiny', source: secret, out: path('one'), lock });
    expect(first.isChecked).toBe(false);
    const text = await readFile(lock, 'utf8');
    expect(JSON.parse(text)).toEqual({ format: 1, archives: [{ url: `${url}?token=***`, sha256 }] });
    const again = await downloadDataset({ name: 'tiny', source: secret, out: path('two'), lock });
    expect(again.isChecked).toBe(true);
    expect(await readFile(lock, 'utf8')).toBe(text);
    // Beside it another address has its own, which may be anything once.
    await downloadDataset({ name: 'tiny', source: source(), out: path('three'), lock });
    await writeFile(lock, text.replace(sha256, 'f'.repeat(64)));
    await expect(
      downloadDataset({ name: 'tiny', source: secret, out: path('four'), lock }),
    ).rejects.toMatchObject({
      code: 'data',
      message: `archive: expected the SHA-256 ${'f'.repeat(64)}, as the first time, got ${sha256}`,
      hint: expect.stringContaining(lock),
    });
    expect((await readdir(folder)).sort()).toEqual([
      'downloads.lock.json',
      'four.zip',
      'one',
      'three',
      'two',
    ]);
    await writeFile(lock, '{"format":1,"archives":[{"url":"x","sha256":"abc"}]}');
    const before = requests.length;
    await expect(
      downloadDataset({ name: 'tiny', source: source(), out: path('five'), lock }),
    ).rejects.toMatchObject({ code: 'data', message: expect.stringContaining('64 lower-case hexadecimal') });
    expect(requests).toHaveLength(before);
  });

  it('is refused where its facts are not the published ones, however right its archive', async () => {
    const { dataset, checkedFacts } = await downloadDataset({
      name: 'tiny',
      source: source(),
      out: path('one'),
    });
    expect(checkedFacts).toEqual([]);
    const digest = (part: Int32Array) =>
      createHash('sha256').update(new Uint8Array(part.slice().buffer)).digest('hex');
    const facts = { train: digest(dataset.train), valid: digest(dataset.valid) };
    const right = await downloadDataset({ name: 'tiny', source: source({ facts }), out: path('two') });
    expect(right.checkedFacts).toEqual(['train', 'valid']);
    const others = source({ facts: { ...facts, valid: facts.train } });
    await expect(downloadDataset({ name: 'tiny', source: others, out: path('three') })).rejects.toMatchObject(
      {
        code: 'data',
        message: `valid: expected facts with the SHA-256 ${facts.train}, got ${facts.valid}`,
        hint: expect.stringContaining(`--sha256 ${sha256}`),
      },
    );
    // Whoever names the archive has chosen it.
    await downloadDataset({ name: 'tiny', source: { ...others, sha256 }, out: path('four') });
    expect((await readdir(folder)).sort()).toEqual(['four', 'one', 'three.zip', 'two']);
  });

  it('is refused when the archive lacks the folder, or is none', async () => {
    const options = { name: 'tiny', out: path('tiny'), archive: path('KG.zip') };
    await expect(downloadDataset({ ...options, source: source({ folder: 'FB15k-betae' }) })).rejects.toThrow(
      'expected the folder FB15k-betae, found other-betae, tiny-betae',
    );
    await writeFile(path('KG.zip'), archive.subarray(0, 90_000));
    await expect(downloadDataset({ ...options, source: source() })).rejects.toMatchObject({
      code: 'data',
      path: path('KG.zip'),
      message: expect.stringContaining('cannot be unpacked'),
    });
  });

  it('is refused while another one writes the same archive', async () => {
    const options = { name: 'tiny', source: source(), archive: path('KG.zip') };
    let first: Promise<unknown> = Promise.resolve();
    await new Promise<void>((begun) => {
      first = downloadDataset({ ...options, out: path('one'), onStage: () => begun() });
    });
    await expect(downloadDataset({ ...options, out: path('two') })).rejects.toMatchObject({
      code: 'runtime',
      path: path('KG.zip'),
    });
    await first;
    expect((await readdir(folder)).sort()).toEqual(['KG.zip', 'one']);
  });

  it('is refused before it begins where the folder exists', async () => {
    await expect(downloadDataset({ name: 'x', source: source(), out: folder })).rejects.toMatchObject({
      code: 'usage',
    });
    expect(requests).toEqual([]);
  });
});

describe('fetching a file', () => {
  const fetchIt = (more: Partial<Parameters<typeof fetchFile>[0]> = {}) =>
    fetchFile({ url, path: path('file'), ...fetching, ...more });
  const isWhole = async (): Promise<boolean> => (await readFile(path('file'))).equals(archive);

  it('goes on where the connection broke off', async () => {
    cuts = [50_000, 70_000];
    const progress: [number, number][] = [];
    await fetchIt({ onProgress: (done, total) => progress.push([done, total]) });
    expect(await isWhole()).toBe(true);
    expect(requests.map(({ range, status }) => [range, status])).toEqual([
      [undefined, 200],
      ['bytes=50000-', 206],
      ['bytes=120000-', 206],
    ]);
    expect(progress.at(-1)).toEqual([archive.length, archive.length]);
    expect(await readdir(folder)).toEqual(['file']);
  });

  it('goes on in another run after it gave up', async () => {
    cuts = [50_000, 0];
    await expect(fetchIt({ retries: 1 })).rejects.toMatchObject({
      code: 'runtime',
      message: expect.stringContaining('50000 bytes are kept'),
    });
    await fetchIt();
    expect(requests.at(-1)).toEqual({ range: 'bytes=50000-', status: 206 });
    expect(await isWhole()).toBe(true);
  });

  it('begins again where the server does not do ranges, has another version, or names none', async () => {
    for (const change of [
      () => {
        ranges = false;
      },
      () => {
        etag = '"v2"';
      },
    ]) {
      cuts = [50_000];
      await expect(fetchIt({ retries: 0 })).rejects.toMatchObject({ code: 'runtime' });
      change();
      await fetchIt();
      expect(requests.at(-1)).toEqual({ range: 'bytes=50000-', status: 200 });
      expect(await isWhole()).toBe(true);
    }
    etag = '';
    cuts = [50_000];
    await fetchIt();
    expect(requests.at(-1)).toEqual({ range: undefined, status: 200 });
    expect(await isWhole()).toBe(true);
  });

  it('takes a part that is already whole', async () => {
    await writeFile(path('file.part'), archive);
    await writeFile(path('file.part.json'), JSON.stringify({ url, validator: etag }));
    await fetchIt();
    expect(requests.map(({ status }) => status)).toEqual([416]);
    expect(await isWhole()).toBe(true);
  });

  it('stops where it is larger than it may be, whether the server says so or never ends', async () => {
    const tooLarge = { code: 'data', message: expect.stringContaining('expected at most 60000 bytes') };
    await expect(fetchIt({ maxBytes: 60_000 })).rejects.toMatchObject(tooLarge);
    let sent = 0;
    const endless = createServer((_, response) => {
      const more = (): void => {
        sent += 10_000;
        if (!response.destroyed) response.write(new Uint8Array(10_000), () => setImmediate(more));
      };
      more();
    });
    await new Promise<void>((ready) => endless.listen(0, '127.0.0.1', ready));
    const address = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/`;
    await expect(fetchIt({ url: address, maxBytes: 60_000 })).rejects.toMatchObject(tooLarge);
    expect(sent).toBeGreaterThan(60_000);
    expect(await readdir(folder)).toEqual([]);
    endless.closeAllConnections();
    endless.close();
  });

  it('says that the disk is full, and goes on when there is room', async () => {
    let room = 60_000;
    const full = fetchIt({
      async write(file, bytes) {
        const fits = bytes.subarray(0, room);
        room -= fits.length;
        await file.writeFile(fits);
        if (fits.length < bytes.length)
          throw Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' });
      },
    });
    await expect(full).rejects.toMatchObject({
      code: 'storage',
      message: 'download: cannot be written: the disk is full (ENOSPC)',
      hint: expect.stringContaining('Make room and try again; at least 1 MiB are missing'),
    });
    expect((await stat(path('file.part'))).size).toBe(60_000);
    await fetchIt();
    expect(requests.at(-1)).toEqual({ range: 'bytes=60000-', status: 206 });
    expect(await isWhole()).toBe(true);
  });

  it('stops when it is told to, and keeps what it has', async () => {
    const controller = new AbortController();
    cuts = [100_000];
    const stopped = fetchIt({ signal: controller.signal, onProgress: () => controller.abort() });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    const kept = (await stat(path('file.part'))).size;
    expect(kept).toBeGreaterThan(0);
    await fetchIt();
    expect(requests.at(-1)).toEqual({ range: `bytes=${kept}-`, status: 206 });
    expect(await isWhole()).toBe(true);
  });

  it('keeps what is secret in its address to itself: in no file, in no error', async () => {
    const address = `${url}?part=1&access_token=s3cret`;
    const written = async (): Promise<string> => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1'));
      return (await Promise.all(texts)).join('\n');
    };
    cuts = [archive.length / 2];
    const broken = await fetchIt({ url: address, retries: 0 }).catch((error: unknown) => error);
    expect(String(broken)).toContain('access_token=***');
    expect(`${broken}${await written()}`).not.toContain('s3cret');
    await fetchIt({ url: address });
    expect(requests.at(-1)).toMatchObject({ status: 206 });
    await downloadDataset({ name: 'tiny', source: source({ url: address }), out: path('tiny') });
    expect(await written()).toContain('part=1&access_token=***');
    expect(await written()).not.toContain('s3cret');
    await expect(fetchIt({ url: address.replace('//', '//ann:s3cret@'), retries: 0 })).rejects.toSatisfy(
      (error) => !`${error}${(error as Error).stack}`.includes('s3cret'),
    );
  });

  it('refuses a server that refuses, and one that is not there', async () => {
    await expect(fetchIt({ url: 'http://127.0.0.1:1/x', retries: 1 })).rejects.toMatchObject({
      code: 'runtime',
    });
    const other = createServer((_, response) => response.writeHead(404).end());
    await new Promise<void>((ready) => other.listen(0, '127.0.0.1', ready));
    const gone = fetchIt({ url: `http://127.0.0.1:${(other.address() as AddressInfo).port}/` });
    await expect(gone).rejects.toMatchObject({
      code: 'runtime',
      message: 'download: expected the file, got 404 Not Found',
    });
    other.closeAllConnections();
    other.close();
  });
});
