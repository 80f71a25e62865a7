import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '@fuzzqe/data/testing';
import { cudaProviderFiles } from '@fuzzqe/train';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type InstalledCuda, installCuda } from './install-cuda.ts';

const noise = (seed: string): Buffer =>
  createHash('shake256', { outputLength: 100_000 }).update(seed).digest();
const wheel = writeZip(
  new Map<string, string | Uint8Array>([
    ['onnxruntime/capi/libonnxruntime_providers_cuda.so', noise('cuda')],
    ['onnxruntime/capi/libonnxruntime_providers_shared.so', noise('shared')],
    ['onnxruntime/capi/libonnxruntime_providers_tensorrt.so', 'not wanted'],
  ]),
);
const sha256 = createHash('sha256').update(wheel).digest('hex');
const name = 'onnxruntime_gpu-9.9.9-cp312-cp312-manylinux_2_28_x86_64.whl';

/** How the index behaves; each test sets what it needs. */
let json = true;
let body: Buffer = wheel;
let hash = sha256;
let cuts = 0;

const server: Server = createServer((request, response) => {
  if (request.url === '/simple/onnxruntime-gpu/') {
    const others = [
      'onnxruntime_gpu-9.9.9-cp312-cp312-manylinux_2_28_aarch64.whl',
      'onnxruntime_gpu-9.9.9-cp312-cp312-win_amd64.whl',
      'onnxruntime_gpu-9.9.8-cp312-cp312-manylinux_2_28_x86_64.whl',
    ];
    const file = (filename: string, digest: string) => ({
      filename,
      url: `../../files/${filename}`,
      hashes: { sha256: digest },
    });
    const files = [...others.map((other) => file(other, '0'.repeat(64))), file(name, hash)];
    response.setHeader('content-type', json ? 'application/vnd.pypi.simple.v1+json' : 'text/html');
    response.end(
      json
        ? JSON.stringify({ files })
        : files
            .map(({ filename, url, hashes }) => `<a href="${url}#sha256=${hashes.sha256}">${filename}</a>`)
            .join('\n'),
    );
    return;
  }
  if (request.url !== `/files/${name}`) {
    response.writeHead(404).end();
    return;
  }
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  response.writeHead(start > 0 ? 206 : 200, {
    etag: '"v1"',
    'content-length': body.length - start,
    ...(start > 0 ? { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` } : {}),
  });
  if (cuts > 0) {
    cuts -= 1;
    response.write(body.subarray(start, start + 50_000), () => response.destroy());
  } else response.end(body.subarray(start));
});

describe('installing the CUDA provider by the installer of onnxruntime-node', () => {
  it('says where there is none, and how to do without', async () => {
    const installer = join(tmpdir(), 'none', 'install.js');
    await expect(installCuda({ cuda: 12, folder: 'libraries', installer })).rejects.toMatchObject({
      code: 'runtime',
      message: 'expected the installer of onnxruntime-node, got none in this installation',
      path: installer,
      hint: expect.stringMatching(/copy the files that it names into libraries: docs\/offline\.md/),
    });
  });
});

describe('installing the CUDA provider from a Python package', () => {
  let folder = '';
  beforeAll(() => new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready)));
  afterAll(() => server.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-cuda-'));
    [json, body, hash, cuts] = [true, wheel, sha256, 0];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const install = (version = '9.9.9'): Promise<InstalledCuda> =>
    installCuda({
      cuda: 13,
      index: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`,
      folder,
      version,
      retries: 3,
    });
  const installed = async (): Promise<Record<string, Buffer>> =>
    Object.fromEntries(
      await Promise.all(
        (await readdir(folder)).map(async (file) => [file, await readFile(join(folder, file))] as const),
      ),
    );
  const whole = {
    'libonnxruntime_providers_cuda.so': noise('cuda'),
    'libonnxruntime_providers_shared.so': noise('shared'),
  };

  it.each([['JSON'], ['HTML']])('puts its two files in place, by an index in %s', async (form) => {
    json = form === 'JSON';
    const { files, missing } = await install();
    expect(files).toEqual(cudaProviderFiles.map((file) => join(folder, file)));
    expect(missing).toEqual([]); // they are no libraries, so nothing can be missing
    expect(await installed()).toEqual(whole);
  });

  it('goes on after a connection that was cut', async () => {
    cuts = 2;
    await install();
    expect(cuts).toBe(0);
    expect(await installed()).toEqual(whole);
  });

  it('keeps what it has where the connection stays broken, and goes on from there', async () => {
    cuts = 4;
    await expect(install()).rejects.toMatchObject({ code: 'runtime' });
    expect(Object.keys(await installed()).every((file) => file.startsWith(name))).toBe(true);
    await install();
    expect(await installed()).toEqual(whole);
  });

  it('installs nothing that has another SHA-256 than the index says', async () => {
    hash = 'f'.repeat(64);
    await expect(install()).rejects.toMatchObject({
      code: 'data',
      message: `download: expected SHA-256 ${hash}, got ${sha256}`,
    });
    expect(await installed()).toEqual({});
  });

  it('installs nothing from an archive without one of the files', async () => {
    body = writeZip(new Map([['onnxruntime/capi/libonnxruntime_providers_cuda.so', 'alone']]));
    hash = createHash('sha256').update(body).digest('hex');
    await expect(install()).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('libonnxruntime_providers_shared.so'),
    });
    expect(await installed()).toEqual({});
  });

  it('says that there is no such version', async () => {
    await expect(install('1.2.3')).rejects.toMatchObject({
      code: 'runtime',
      message: 'onnxruntime-gpu has no version 1.2.3 for Linux on x86-64',
    });
  });
});
