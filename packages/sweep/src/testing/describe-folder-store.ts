import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderStore } from '../store/folder-store.ts';
import { describeSweepStore, type StoreTestRunner } from './describe-sweep-store.ts';

/** What a test runner gives whose tests leave files. */
export interface FolderTestRunner extends StoreTestRunner {
  afterAll(clean: () => Promise<void>): void;
}

/** Judges stores in folders of this machine, and makes further empty folders, which are removed after the tests. */
export function describeFolderStore(name: string, runner: FolderTestRunner): () => Promise<string> {
  const folders: string[] = [];
  const newFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-store-'));
    folders.push(folder);
    return folder;
  };
  runner.afterAll(async () => {
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });
  describeSweepStore(name, runner, {
    async open() {
      const folder = await newFolder();
      return [folderStore(folder), folderStore(folder)];
    },
  });
  return newFolder;
}
