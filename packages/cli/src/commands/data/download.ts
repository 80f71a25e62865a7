import { Argument, type Command } from 'commander';
import { downloads } from '../../options/choices.ts';
import { parseSha256 } from '../../options/parse-options.ts';
import { doing } from '../../terminal/doing.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const examples = `
Example:
  fuzzqe data download fb15k-237 --out data/fb15k-237
  fuzzqe data download nell995 --out data/nell995 --archive KG_data.zip

--archive keeps the archive, or uses one that is there. An interrupted download
goes on where it stopped when the same command is run again.`;

/** Adds `fuzzqe data download`. */
export function addDownloadCommand(data: Command, terminal: Terminal): void {
  data
    .command('download')
    .description('a published data set with its queries: fetches the archive of the BetaE data sets, 1.3 GB')
    .addArgument(new Argument('<name>', 'which one').choices(downloads))
    .requiredOption('--out <folder>', 'where the data set goes; a folder that does not exist yet')
    .option('--url <address>', 'another address of the archive')
    .option('--sha256 <hex>', 'what the SHA-256 of the archive must be', parseSha256)
    .option('--archive <zip>', 'keep the archive there, or use it where it is there already')
    .option(
      '--lock <file>',
      'where the SHA-256 of each address is remembered (default: downloads.lock.json beside --out)',
    )
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../../actions/data/download.ts')).downloadNamed));
}
