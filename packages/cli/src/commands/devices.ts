import { Argument, type Command } from 'commander';
import type { DevicesFlags } from '../actions/devices.ts';
import { trainingDevices } from '../options/choices.ts';
import { parseChoices, parseWholeNumber } from '../options/parse-options.ts';
import { threadsOption } from '../options/shared-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

const concrete = trainingDevices.filter((name) => name !== 'auto');

/** Adds `fuzzqe devices`. */
export function addDevicesCommand(program: Command, terminal: Terminal): void {
  program
    .command('devices')
    .description('list the devices that can train here, with their speed, or why they cannot')
    .addArgument(
      new Argument('[names]', `names, separated by commas: ${concrete.join(', ')}`).argParser(
        parseChoices(concrete, 'device'),
      ),
    )
    .addOption(threadsOption('threads of the CPU'))
    .option(
      '--seconds <n>',
      'seconds of matrix products for each device; 0 for no measurement',
      parseWholeNumber(0, 60),
      2,
    )
    .option('--json', 'print what was found as JSON')
    .addHelpText('after', '\nExamples:\n  fuzzqe devices\n  fuzzqe devices webgpu,cuda --json')
    .action(async (names: typeof concrete | undefined, flags: DevicesFlags) => {
      const { listDevices } = await import('../actions/devices.ts');
      const next = await listDevices(terminal, names ?? concrete, flags);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
