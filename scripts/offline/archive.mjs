import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { run } from './run.mjs';

/** The largest archive that is given out, in bytes. */
export const largest = 60 * 2 ** 20;

/**
 * Packs a folder as .tar.xz, with a .sha256 beside it: the same files give the same bytes. Returns size and digest.
 * Blocks have a fixed size and two threads make them, so the bytes do not depend on the machine's cores. The filter for
 * x86 makes native code 3 % smaller; higher presets take twice the time.
 */
export function packFolder(folder, archive, preset) {
  const tar = `${archive}.tmp.tar`;
  rmSync(archive, { force: true });
  rmSync(`${archive}.sha256`, { force: true });
  try {
    run('tar', [
      ...['--create', '--file', tar, '--format=gnu', '--sort=name', '--mtime=2000-01-01 00:00:00Z'],
      ...[
        '--owner=0',
        '--group=0',
        '--numeric-owner',
        '--mode=u=rwX,go=rX',
        '--directory',
        dirname(folder),
        basename(folder),
      ],
    ]);
    run('xz', [
      '--threads=2',
      '--block-size=64MiB',
      '--x86',
      `--lzma2=preset=${preset}`,
      '--check=crc64',
      tar,
    ]);
    const bytes = readFileSync(`${tar}.xz`);
    const digest = createHash('sha256').update(bytes).digest('hex');
    renameSync(`${tar}.xz`, archive);
    writeFileSync(`${archive}.sha256`, `${digest}  ${basename(archive)}\n`);
    return { size: statSync(archive).size, digest };
  } finally {
    rmSync(tar, { force: true });
    rmSync(`${tar}.xz`, { force: true });
  }
}
