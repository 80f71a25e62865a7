import { downloadDataset, downloadSources } from '@fuzzqe/train';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { interruptible } from '../../terminal/interrupt.ts';
import { createByteProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeImport } from './describe-import.ts';

type SourceName = keyof typeof downloadSources;
const sourceNames: readonly SourceName[] = ['fb15k-237', 'nell995'];

const examples = `
Example:
  fuzzqe data download fb15k-237 --out data/fb15k-237
  fuzzqe data download nell995 --out data/nell995 --archive KG_data.zip   keeps the archive, or uses one that is there

An interrupted download goes on where it stopped when the same command is run again.`;

/** Adds `fuzzqe data download`. */
export function addDownloadCommand(data: Command, terminal: Terminal): void {
  data
    .command('download')
    .description('a published data set with its queries: fetches the archive of the BetaE data sets, 1.3 GB')
    .addArgument(new Argument('<name>', 'which one').choices(sourceNames))
    .requiredOption('--out <folder>', 'where the data set goes; a folder that does not exist yet')
    .option('--url <address>', 'another address of the archive')
    .option('--sha256 <hex>', 'what the SHA-256 of the archive must be', sha256)
    .option('--archive <zip>', 'keep the archive there, or use it where it is there already')
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', examples)
    .action(async (name: SourceName, flags: DownloadFlags) => {
      const { md5: _, ...elsewhere } = downloadSources[name];
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
          signal,
          ...(flags.archive === undefined ? {} : { archive: flags.archive }),
          onProgress: createByteProgress(terminal, 'Downloading'),
          onStage(stage) {
            terminal.status('');
            if (stage !== 'download') terminal.note(stages[stage]);
          },
        });
      });
      const { archiveSha256, isChecked, ...imported } = downloaded;
      describeImport(terminal, imported, flags.json === true);
      const judged = isChecked
        ? 'as expected'
        : 'which no published hash confirms; give it as --sha256 next time to get the same file';
      terminal.note(`SHA-256 of the archive: ${archiveSha256}, ${judged}`);
    });
}

const stages = { check: 'Hashing the archive', unpack: 'Unpacking', import: 'Importing' } as const;

interface DownloadFlags {
  readonly out: string;
  readonly url?: string;
  readonly sha256?: string;
  readonly archive?: string;
  readonly json?: boolean;
}

function sha256(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError(`expected 64 hexadecimal digits, got ${JSON.stringify(text)}`);
}
