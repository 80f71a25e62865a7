import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { root, run } from './workspace.ts';

/** The built command. */
export const command: string = join(root, 'packages/cli/bin/fuzzqe.js');

/** A folder of its own for a file of tests, and in it a small bundle in fp32, which is there while they run. */
export function scratchBundle(name: string): { readonly scratch: string; readonly bundle: string } {
  const scratch = mkdtempSync(join(tmpdir(), `fuzzqe-${name}-`));
  beforeAll(() => {
    const { status, stderr } = run('test/packaging/export-tiny.mjs', [scratch, 'product', 'fp32']);
    if (status !== 0) throw new Error(stderr);
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  return { scratch, bundle: join(scratch, 'product') };
}
