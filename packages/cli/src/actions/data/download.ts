import { dirname, join } from 'node:path';
import { downloadDataset, downloadSources } from '@fuzzqe/data';
import { interruptible } from '../../terminal/interrupt.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import { createByteProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeImport } from './describe-import.ts';
import { nextCommandWithData } from './query-files.ts';

/** What `fuzzqe data download` was told. */
export interface DownloadFlags {
  readonly out: string;
  readonly url?: string;
  readonly sha256?: string;
  readonly archive?: string;
  readonly lock?: string;
  readonly json?: boolean;
}

/** Does `fuzzqe data download`. */
export async function downloadNamed(
  terminal: Terminal,
  name: keyof typeof downloadSources,
  flags: DownloadFlags,
): Promise<NextCommand> {
  const { md5: _, maxBytes: __, ...elsewhere } = downloadSources[name];
  const source = {
    // Another address may have another archive, of which nothing is known.
    ...(flags.url === undefined ? downloadSources[name] : { ...elsewhere, url: flags.url }),
    ...(flags.sha256 === undefined ? {} : { sha256: flags.sha256 }),
  };
  const downloaded = await interruptible(terminal, async (signal) => {
    return downloadDataset({
      name,
      source,
      out: flags.out,
      lock: flags.lock ?? join(dirname(flags.out), 'downloads.lock.json'),
      signal,
      ...(flags.archive === undefined ? {} : { archive: flags.archive }),
      onProgress: createByteProgress(terminal, 'Downloading'),
      onStage(stage) {
        terminal.status('');
        if (stage !== 'download') terminal.note(stages[stage]);
      },
    });
  });
  const { archiveSha256, isChecked, checkedFacts, ...imported } = downloaded;
  describeImport(terminal, imported, flags.json === true);
  const judged = isChecked
    ? 'as expected'
    : 'which no published hash confirms, and which it has to have from now on';
  terminal.note(`SHA-256 of the archive: ${archiveSha256}, ${judged}`);
  if (checkedFacts.length > 0) terminal.note(`Facts of ${checkedFacts.join(', ')}: the published ones`);
  return nextCommandWithData(flags.out);
}

const stages = { check: 'Hashing the archive', unpack: 'Unpacking', import: 'Importing' } as const;
