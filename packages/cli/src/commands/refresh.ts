import { type Command, Option } from 'commander';
import type { RefreshFlags } from '../actions/refresh.ts';
import { parseShare } from '../options/parse-options.ts';
import { passingRuntimesOption, threadsOption } from '../options/shared-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
Examples:
  fuzzqe refresh runs/mine --data data/mine-today
  fuzzqe refresh runs/mine --facts http://localhost:8080 --when 2%
  fuzzqe refresh runs/mine --facts facts --repository bundles

Facts keep their parts: what was held out stays held out. The results lie in
refresh/1, refresh/2, … of the run; the next refresh goes on from the last one.`;

/** Adds `fuzzqe refresh`. */
export function addRefreshCommand(program: Command, terminal: Terminal): void {
  program
    .command('refresh <run>')
    .description(
      'train a run for some more steps on its changed graph and publish the next version; a stopped refresh continues',
    )
    .option('--data <folder>', 'data set of the changed graph, imported anew')
    .addOption(
      new Option(
        '--facts <place>',
        'instead of --data: the changes of a log of facts: its folder, or the address of the server that writes it',
      ).conflicts('data'),
    )
    .option('--key-file <file>', 'a file with a key of that server; default: the variable FUZZQE_KEY')
    .option('--when <share>', 'do nothing unless this share of the facts changed, as in 2%', parseShare)
    .option('--share <share>', 'steps, as a share of those of the first training', parseShare, 0.1)
    .option(
      '--earlier-data <folder>',
      'data set of a run of fuzzqe train; the folder of fuzzqe run has its own',
    )
    .option(
      '--repository <folder>',
      'write the next version to <folder>/<name>/<version>; default: replace the bundle in the folder of the run',
    )
    .option('--name <name>', 'name of the bundle; default: as before')
    .addOption(threadsOption())
    .addOption(passingRuntimesOption())
    .option('--json', 'print what changed as JSON')
    .addHelpText('after', examples)
    .action(async (run: string, flags: RefreshFlags, command: Command) => {
      if (flags.data === undefined && flags.facts === undefined)
        return command.error('error: expected --data <folder> or --facts <place>');
      const { refresh } = await import('../actions/refresh.ts');
      const next = await refresh(terminal, run, flags);
      if (next !== undefined && !flags.json) printNextCommand(terminal, next);
    });
}
