import type { Command } from 'commander';
import type { ServeFlags } from '../actions/serve.ts';
import { profileHelp, requireSignatureHelp, servingDevices } from '../options/choices.ts';
import { parseChoice, parseWholeNumber } from '../options/parse-options.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe serve`. */
export function addServeCommand(program: Command, terminal: Terminal): void {
  program
    .command('serve <bundle>')
    .description('answer queries over HTTP')
    .option('--port <n>', 'port; 0 takes a free one', parseWholeNumber(0, 65_535), 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--device <name>', servingDevices.join(', '), parseChoice(servingDevices, 'device'), 'cpu')
    .option('--profile <name>', profileHelp)
    .option('--require-signature <file>', requireSignatureHelp)
    .option('--threads <n>', 'threads for one run on the CPU', parseWholeNumber(1, 256))
    .addHelpText('after', '\nExample:\n  fuzzqe serve bundles/countries --port 8080')
    .action(async (bundle: string, flags: ServeFlags) => {
      const { serveBundle } = await import('../actions/serve.ts');
      await serveBundle(terminal, bundle, flags);
    });
}
