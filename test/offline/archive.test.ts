import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packFolder, parsePreset, usualPreset } from '../../scripts/offline/archive.mjs';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'fuzzqe-archive-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const hasTools = ['tar', 'xz', 'sha256sum'].every(
  (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).status === 0,
);

describe('the preset of the offline archive', () => {
  it.each(['-1', '10', '6e', 'fast', '', '1.5'])('is refused with what is expected: "%s"', (text) => {
    expect(() => parsePreset(text)).toThrow(
      /--preset: expected an integer in \[0, 9\], got ".*": leave it out/,
    );
  });

  it('is one digit', () => {
    expect(['0', '9', `${usualPreset}`].map(parsePreset)).toEqual([0, 9, usualPreset]);
  });
});

describe.skipIf(!hasTools || process.platform !== 'linux')('the offline archive', () => {
  const pack = (preset: number, check?: (size: number) => void) =>
    packFolder(join(scratch, 'folder'), join(scratch, 'out', 'a.tar.xz'), preset, check);
  const written = () =>
    readdirSync(join(scratch, 'out')).map((name) => [
      name,
      readFileSync(join(scratch, 'out', name)).toString('hex'),
    ]);
  beforeEach(() => {
    for (const folder of ['folder', 'out']) mkdirSync(join(scratch, folder));
    writeFileSync(join(scratch, 'folder', 'file'), 'first');
  });

  it('takes the place of the last one, with its digest', () => {
    pack(0);
    const before = written();
    writeFileSync(join(scratch, 'folder', 'file'), 'second');
    const sizes: number[] = [];
    const { size } = pack(0, (bytes) => sizes.push(bytes));
    expect(sizes).toEqual([size]);
    expect(written().map(([name]) => name)).toEqual(['a.tar.xz', 'a.tar.xz.sha256']);
    expect(written()).not.toEqual(before);
    const check = spawnSync('sha256sum', ['--check', '--status', 'a.tar.xz.sha256'], {
      cwd: join(scratch, 'out'),
    });
    expect(check.status).toBe(0);
  });

  it('that is refused leaves the last one, and nothing of itself', () => {
    pack(0);
    const before = written();
    writeFileSync(join(scratch, 'folder', 'file'), 'second');
    const refuse = (): void => {
      throw new Error('too large');
    };
    expect(() => pack(0, refuse)).toThrow('too large');
    expect(written()).toEqual(before);
  });
});
