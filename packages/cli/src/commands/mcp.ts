import { detailOf, flagOf, type SettingName, settingOf } from '@fuzzqe/serve/settings';
import { type Command, Option } from 'commander';
import { parseWholeNumber } from '../options/parse-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Of the settings of a server those that hold for a process of its own as well. */
const shared: readonly SettingName[] = ['device', 'profile', 'requireSignature', 'facts'];

/** Of the others those that matter most to assistants; all are variables and keys of the file. */
const overHttp: readonly SettingName[] = [
  'host',
  'port',
  'allowHost',
  'cors',
  'keys',
  'rateLimit',
  'rateBurst',
  'workers',
  'logLevel',
];

const afterHelp = `
With --http it is fuzzqe serve with --mcp on, without the playground: every
setting of fuzzqe serve holds, as a variable or in the file of --config. With
--facts, a key that may write lets an assistant add and remove facts.

Examples:
  fuzzqe mcp bundles/countries
  fuzzqe mcp bundles/countries --facts facts --write
  fuzzqe mcp bundles/countries --http --port 8080
  fuzzqe mcp bundles/countries --http --host 0.0.0.0 --keys keys.txt`;

/** Adds `fuzzqe mcp`. */
export function addMcpCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('mcp <bundle>')
    .description('let an assistant ask, through the Model Context Protocol')
    .option('--http', 'serve HTTP (POST /mcp) instead of standard input and output')
    .option('--write', 'let the assistant add and remove facts, with --facts and without --http')
    .option('--threads <n>', 'threads on the CPU, without --http', parseWholeNumber(1, 256));
  for (const name of shared) command.addOption(optionOf(name, 'Model'));
  for (const name of overHttp) command.addOption(optionOf(name, 'With --http'));
  command
    .addOption(new Option('--config <file>', 'a JSON file of settings').helpGroup('With --http:'))
    .addHelpText('after', afterHelp)
    .action(doing(terminal, async () => (await import('../actions/mcp.ts')).serveAssistants));
}

function optionOf(name: SettingName, group: string): Option {
  const setting = settingOf(name);
  const detail = detailOf(setting);
  const help = detail === '' ? setting.help : `${setting.help} (${detail})`;
  return new Option(`${flagOf(name)} <${setting.value}>`, help).helpGroup(`${group}:`);
}
