import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../run-command.ts';

it('the demo asks the pipeline for what it does', async () => {
  const out = await mkdtemp(join(tmpdir(), 'fuzzqe-demo-'));
  const [lines, notes]: [string[], string[]] = [[], []];
  const stop = (line: string): void => {
    lines.push(line);
    // All of it takes long; what is wrong with its options is said before its first stage.
    throw new Error('enough was seen');
  };
  const terminal = { out: stop, note: (line: string) => notes.push(line), status: () => {} };
  await runCommand(['demo', '--no-serve', '--out', out], { ...terminal, live: false, columns: 80 }, '0.0.0');
  await rm(out, { recursive: true, force: true });
  expect(notes.join('\n')).toContain('enough was seen');
  expect(lines[0]).toMatch(/1\. /);
});
