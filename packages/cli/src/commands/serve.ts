import { detailOf, flagOf, settingNames, settingOf, variableOf } from '@fuzzqe/serve/settings';
import { type Command, Option } from 'commander';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

const afterHelp = `
Each setting is also an environment variable, as ${flagOf('maxInFlight')} is
${variableOf('maxInFlight')}, and a key of a JSON file, as maxInFlight is;
that is the file of --config or ${variableOf('config')}.
A flag overrides a variable; a variable overrides the file.

After SIGTERM or Ctrl-C the server finishes the requests under way; a second
signal ends it at once.
After SIGHUP the server reads the keys again and opens the newest version of
each bundle, or the version whose number stands in the file "current".

Examples:
  fuzzqe serve bundles/countries --port 8080
  fuzzqe serve bundles/countries bundles/fb --host 0.0.0.0 --keys keys.txt
  FUZZQE_SERVE_PORT=80 fuzzqe serve bundles/fb --config serve.json`;

/** Adds `fuzzqe serve`. */
export function addServeCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('serve <bundles...>')
    .description('answer queries over HTTP from bundles (folders or hf://owner/name@revision)')
    .option('--config <file>', 'a JSON file of settings')
    .addHelpText('after', afterHelp)
    .action(doing(terminal, async () => (await import('../actions/serve.ts')).serveBundles));
  for (const name of settingNames) {
    const setting = settingOf(name);
    const detail = detailOf(setting);
    const option = new Option(
      `${flagOf(name)} <${setting.value}>`,
      detail === '' ? setting.help : `${setting.help} (${detail})`,
    );
    command.addOption(option.helpGroup(`${setting.group}:`));
  }
}
