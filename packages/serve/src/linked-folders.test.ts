import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManifest, verifyProfile } from '@fuzzqe/bundle';
import { openEngine } from '@fuzzqe/engine';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderSource, nodeSessions } from './index.ts';

let root = '';
let plain = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-links-'));
  plain = join(root, 'plain');
  await exportMemoryBundle(plain, await memoryBundle(), { profiles: ['fp32'] });
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Puts the entries of a folder elsewhere, under other names, and links to them in it. */
async function linkEntries(folder: string): Promise<void> {
  const elsewhere = await mkdtemp(join(root, 'elsewhere-'));
  for (const [i, name] of (await readdir(folder)).entries()) {
    await rename(join(folder, name), join(elsewhere, `${i}`));
    await symlink(join(elsewhere, `${i}`), join(folder, name));
  }
}

/** Bundles of the same files, by how they are linked. */
const linked: Record<string, (folder: string) => Promise<void>> = {
  async 'as a volume of Kubernetes is'(folder) {
    await cp(plain, join(folder, '..2026_11_29'), { recursive: true });
    await symlink('..2026_11_29', join(folder, '..data'));
    for (const name of await readdir(plain)) await symlink(join('..data', name), join(folder, name));
  },
  async 'by the folder of its graphs'(folder) {
    await cp(plain, folder, { recursive: true });
    await linkEntries(join(folder, 'models'));
  },
  async 'file by file, as a cache of blobs is'(folder) {
    await cp(plain, folder, { recursive: true });
    await linkEntries(join(folder, 'models/fp32'));
  },
};

describe.each(Object.entries(linked))('a bundle that is linked %s', (name, link) => {
  const make = async (kind: string): Promise<string> => {
    const folder = join(root, `${kind} ${name}`);
    await mkdir(folder);
    await link(folder);
    return folder;
  };

  it('lists the files of its manifest, is verified and answers', async () => {
    const folder = await make('whole');
    const source = folderSource(folder);
    expect(await source.list!()).toEqual(await folderSource(plain).list!());
    await verifyProfile(source, await readManifest(source), 'fp32');
    const engine = await openEngine({ source, sessions: nodeSessions(folder, { threads: 1 }) });
    await engine.warmUp();
    await engine.close();
  });

  it('is refused with a file more, which is named', async () => {
    const folder = await make('foreign');
    await writeFile(join(folder, 'models/extra'), '');
    const source = folderSource(folder);
    await expect(verifyProfile(source, await readManifest(source), 'fp32')).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining('models/extra'),
    });
  });
});

it('a link to a folder around it is one more file, and a link to nothing too', async () => {
  const folder = join(root, 'odd');
  await mkdir(join(folder, 'inner'), { recursive: true });
  await symlink('..', join(folder, 'inner/around'));
  await symlink('gone', join(folder, 'nothing'));
  expect(await folderSource(folder).list!()).toEqual(['inner/around', 'nothing']);
});
