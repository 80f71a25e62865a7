import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundlePaths, readManifest, signaturePath, storedFiles, verifyBundle } from '@fuzzqe/bundle';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleFolder, folderSource } from '../index.ts';
import type { HubSettings } from './hub-server.ts';

const commit = '0123456789abcdef0123456789abcdef01234567';
const later = 'fedcba9876543210fedcba9876543210fedcba98';
const large = 'models/fp32/weights.bin';

let files: ReadonlyMap<string, Uint8Array>;
/** The Hub, and the store beside it that large files lie in. */
let hub: Server;
let store: Server;
let endpoint: string;
let root: string;

/** What the servers do: changed by tests. */
let state: {
  revisions: Record<string, string>;
  token?: string;
  /** Bytes of the weights after which the store hangs up, a request each. */
  cuts: number[];
  altered: Map<string, Uint8Array>;
  missing: Set<string>;
  failing: number;
  /** What the Hub says of the signature. */
  signature: number;
};
/** What they were asked. */
let asked: { path: string; authorization?: string; range?: string }[];

const send = (request: IncomingMessage, response: ServerResponse, bytes: Uint8Array): void => {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const rest = bytes.subarray(start);
  const cut = request.url === `/${large}` ? state.cuts.shift() : undefined;
  response.writeHead(start > 0 ? 206 : 200, {
    etag: `"${bytes.length}"`,
    'content-length': rest.length,
    ...(start > 0 ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {}),
  });
  if (cut === undefined) {
    response.end(rest);
    return;
  }
  response.write(rest.subarray(0, cut));
  // Not before they are kept: what is on the way when a connection breaks is lost.
  const part = join(repository(), `.${commit}.partial`, `${large}.part`);
  const look = async (): Promise<void> => {
    const kept = await stat(part).catch(() => undefined);
    if (kept !== undefined && kept.size >= cut) response.destroy();
    else setTimeout(look, 5);
  };
  void look();
};

const listen = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> => {
  const server = createServer((request, response) => {
    const { authorization, range } = request.headers;
    asked.push({
      path: request.url!,
      ...(authorization === undefined ? {} : { authorization }),
      ...(range === undefined ? {} : { range }),
    });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};
const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // of TCP

beforeAll(async () => {
  const { source } = await memoryBundle();
  const manifest = await readManifest(source);
  const paths = [bundlePaths.manifest, ...Object.keys(storedFiles(manifest))];
  files = new Map(await Promise.all(paths.map(async (path) => [path, await source.read(path)] as const)));
  const bytesOf = (path: string): Uint8Array | undefined =>
    state.missing.has(path) ? undefined : (state.altered.get(path) ?? files.get(path));
  store = await listen((request, response) => send(request, response, bytesOf(request.url!.slice(1))!));
  hub = await listen((request, response) => {
    const end = (status: number, body = ''): void => {
      response.writeHead(status).end(body);
    };
    const url = decodeURIComponent(request.url!);
    if (state.failing > 0) {
      state.failing -= 1;
      return end(503);
    }
    if (state.token !== undefined && request.headers.authorization !== `Bearer ${state.token}`)
      return end(401);
    const revision = /^\/api\/models\/ann\/mine\/revision\/(.+)$/.exec(url)?.[1];
    if (revision !== undefined) {
      const sha = state.revisions[revision];
      return sha === undefined ? end(404) : end(200, JSON.stringify({ id: 'ann/mine', sha, siblings: [] }));
    }
    const [, of, path] = /^\/ann\/mine\/resolve\/([0-9a-f]{40})\/(.+)$/.exec(url) ?? [];
    const bytes = of === undefined ? undefined : bytesOf(path!);
    if (path === signaturePath) return end(state.signature);
    if (bytes === undefined) return end(404);
    if (path!.endsWith('.bin')) response.writeHead(302, { location: `${addressOf(store)}/${path}` }).end();
    else send(request, response, bytes);
  });
  endpoint = addressOf(hub);
});
afterAll(async () => {
  for (const server of [hub, store]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-hub-'));
  state = {
    revisions: { main: commit },
    cuts: [],
    altered: new Map(),
    missing: new Set(),
    failing: 0,
    signature: 404,
  };
  asked = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

const open = (address = 'hf://ann/mine', more: HubSettings = {}): Promise<string> =>
  bundleFolder(address, {
    endpoint,
    token: '',
    cache: root,
    offline: false,
    retries: 2,
    retryDelay: 1,
    ...more,
  });
const repository = (): string => join(root, 'hub', 'ann--mine');

describe('a bundle of the Hub', () => {
  it('is fetched once, whole and compared, and found without the Hub afterwards', async () => {
    const notes: string[] = [];
    const folder = await open('hf://ann/mine', { onNote: (line) => notes.push(line) });
    expect(folder).toBe(join(repository(), commit));
    expect((await verifyBundle(folderSource(folder))).name).toBeTypeOf('string');
    for (const [path, bytes] of files)
      expect(new Uint8Array(await readFile(join(folder, path))), path).toEqual(bytes);
    expect(notes).toEqual([
      expect.stringMatching(/^Fetching hf:\/\/ann\/mine@0123456789.*: \d+ files, [\d.]+ MB$/),
    ]);
    expect((await readdir(repository())).sort()).toEqual([commit, 'refs']);

    asked = [];
    expect(await open()).toBe(folder);
    expect(asked.map(({ path }) => path)).toEqual(['/api/models/ann/mine/revision/main']);
    asked = [];
    expect(await open('hf://ann/mine', { offline: true })).toBe(folder);
    expect(await open(`hf://ann/mine@${commit}`)).toBe(folder);
    expect(asked).toEqual([]);
    state.failing = 99;
    expect(await open('hf://ann/mine', { onNote: (line) => notes.push(line) })).toBe(folder);
    expect(notes.at(-1)).toMatch(/cannot be reached: 503.*is the commit 0123456789/);
  });

  it('is another where the branch has moved, and what failed in passing is asked again', async () => {
    await open();
    state.revisions = { main: later, 'v1/first': commit };
    state.failing = 2;
    expect(await open()).toBe(join(repository(), later));
    expect(await open('hf://ann/mine@v1/first')).toBe(join(repository(), commit));
    expect((await readdir(repository())).sort()).toEqual([commit, later, 'refs'].sort());
  });

  it('goes on where the connection was cut, in this process and in the next', async () => {
    state.cuts = [1000];
    await expect(open('hf://ann/mine', { retries: 0 })).rejects.toMatchObject({ code: 'runtime' });
    expect((await readdir(repository())).sort()).toEqual([`.${commit}.partial`]);
    asked = [];
    await open();
    const [rest, ...others] = asked.filter(({ path }) => path === `/${large}`);
    expect([rest!.range, others]).toEqual(['bytes=1000-', []]);
    // What was there already is not asked for again.
    expect(asked.some(({ path }) => path.endsWith('entities.tsv'))).toBe(false);
    await verifyBundle(folderSource(join(repository(), commit)));
  });

  it('is fetched by one of several that want it at once', async () => {
    const folders = await Promise.all([open(), open(), open()]);
    expect(new Set(folders).size).toBe(1);
    expect(asked.filter(({ path }) => path === `/${large}`)).toHaveLength(1);
  });

  it('is asked for with the token, which no other server sees and nothing prints', async () => {
    state.token = 'hf_secretSecret';
    const notes: string[] = [];
    await open('hf://ann/mine', { token: state.token, onNote: (line) => notes.push(line) });
    const [atHub, atStore] = [
      asked.filter(({ path }) => path.includes('ann')),
      asked.filter(({ path }) => path === `/${large}`),
    ];
    expect(new Set(atHub.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer hf_secretSecret']),
    );
    expect(atStore).toEqual([{ path: `/${large}` }]);
    expect(notes.join()).not.toContain('secret');
    for (const token of ['other_secret', 'bad\nsecret']) {
      const refused: unknown = await open('hf://ann/mine@x', { token }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: token.startsWith('bad') ? 'config' : 'bundle' });
      expect(JSON.stringify(refused, Object.getOwnPropertyNames(refused)) + String(refused)).not.toContain(
        'secret',
      );
    }
  });
});

describe('refused', () => {
  const refuse = (address: string, code: string, said: RegExp, more: HubSettings = {}): Promise<void> =>
    expect(open(address, more)).rejects.toMatchObject({ code, message: expect.stringMatching(said) });

  it.each([
    'hf://mine',
    'hf://ann/mine/file',
    'hf://ann/../x',
    'hf://ann/mi--ne',
    'hf://ann/mine@a@b',
    'hf://ann/mine@../x',
    'hf://ann/mine@',
    'hf:///mine',
  ])('%s', async (address) => {
    await refuse(address, 'usage', /expected hf:\/\/owner\/name/);
    expect(asked).toEqual([]);
  });

  it('a repository, a revision or a file that is not there, and one without a token', async () => {
    await refuse('hf://ann/other', 'bundle', /no such repository or revision \(404\)/);
    await refuse('hf://ann/mine@none', 'bundle', /no such repository or revision \(404\)/);
    state.missing.add('facts.bin');
    await refuse('hf://ann/mine', 'bundle', /^facts.bin: the repository has no such file/);
    state.missing.add(bundlePaths.manifest);
    await rm(repository(), { recursive: true });
    await refuse('hf://ann/mine', 'bundle', /^manifest.json: the repository has no such file/);
    state.token = 'hf_x';
    await refuse('hf://ann/mine', 'bundle', /the Hub refuses it \(401\): it is private, gated, or not there/);
    expect(await readdir(repository())).not.toContain(commit);
  });

  it('a signature that may not be read, which is another thing than none', async () => {
    state.signature = 403;
    await refuse('hf://ann/mine', 'bundle', /the Hub refuses it \(403\)/);
    expect(await readdir(repository())).not.toContain(commit);
    state.signature = 404;
    await verifyBundle(folderSource(await open()));
  });

  it('files that are others than the manifest says, of which none stays', async () => {
    const facts = files.get('facts.bin')!;
    state.altered.set(
      'facts.bin',
      facts.map((byte, i) => (i === 0 ? byte ^ 1 : byte)),
    );
    await refuse('hf://ann/mine', 'bundle', /expected a file with sha256/);
    state.altered.set('facts.bin', new Uint8Array(facts.length + 1));
    await refuse('hf://ann/mine', 'bundle', new RegExp(`expected a file of ${facts.length} bytes`));
    const text = new TextDecoder().decode(files.get(bundlePaths.manifest)!);
    state.altered.set(
      bundlePaths.manifest,
      new TextEncoder().encode(text.replace(/"edges":(\d)/, '"edges":1$1')),
    );
    await rm(repository(), { recursive: true });
    await refuse('hf://ann/mine', 'bundle', /./);
    state.altered.set(bundlePaths.manifest, new TextEncoder().encode('<html>'));
    const address = `hf://ann/mine@${commit}`;
    await expect(open()).rejects.toMatchObject({
      code: 'bundle',
      path: `${address}/manifest.json`,
      hint: `The bundle at ${address} is damaged; export or download it again.`,
    });
    expect(await readdir(repository())).toEqual([]);
    // And what was mended is taken.
    state.altered.clear();
    await verifyBundle(folderSource(await open()));
  });

  it('what the Hub cannot be asked for, where the cache has nothing', async () => {
    state.failing = 99;
    await refuse('hf://ann/mine', 'runtime', /cannot be reached: 503/);
    await refuse('hf://ann/mine', 'runtime', /HF_HUB_OFFLINE/, { offline: true });
    // A server that hangs up, whatever else has a port.
    const deaf = createServer();
    deaf.on('connection', (socket) => socket.destroy());
    deaf.listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    await refuse('hf://ann/mine', 'runtime', /cannot be reached/, { endpoint: addressOf(deaf) });
    await new Promise((resolve) => deaf.close(resolve));
  });

  it('an endpoint that is none, and a token that would go unencrypted', async () => {
    await refuse('hf://ann/mine', 'config', /expected an address/, { endpoint: 'ftp://x' });
    await refuse('hf://ann/mine', 'config', /expected an address/, { endpoint: 'nothing' });
    await refuse('hf://ann/mine', 'config', /expected https/, {
      endpoint: 'http://example.org',
      token: 'hf_x',
    });
  });

  it('a cache that cannot be written', async () => {
    await mkdir(join(root, 'hub'));
    await writeFile(repository(), 'a file');
    await refuse('hf://ann/mine', 'storage', /the cache of bundles cannot be written: .*got a file/);
  });
});
