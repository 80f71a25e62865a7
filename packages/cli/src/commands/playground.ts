import type { Command } from 'commander';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

const afterHelp = `
The folder needs no program behind it: any server of files can serve it, below
any path. The browser of each visitor reads the bundle and answers.

Example:
  fuzzqe playground bundles/countries --out site`;

/** Adds `fuzzqe playground`. */
export function addPlaygroundCommand(program: Command, terminal: Terminal): void {
  program
    .command('playground <bundle>')
    .description('write the playground and a bundle as a site of files, where browsers answer by themselves')
    .requiredOption('--out <folder>', 'folder for the site; an older site there is replaced')
    .option(
      '--webgpu',
      'add the runtime for WebGPU, 27 MB: browsers with a graphics processor use it after it passes the golden cases',
    )
    .addHelpText('after', afterHelp)
    .action(doing(terminal, async () => (await import('../actions/playground.ts')).writePlayground));
}
