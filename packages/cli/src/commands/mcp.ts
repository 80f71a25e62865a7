import type { Command } from 'commander';
import type { McpFlags } from '../actions/mcp.ts';
import { profileHelp, requireSignatureHelp, servingDevices } from '../options/choices.ts';
import { parseChoice, parseWholeNumber } from '../options/parse-options.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe mcp`. */
export function addMcpCommand(program: Command, terminal: Terminal): void {
  program
    .command('mcp <bundle>')
    .description('let an assistant ask, by the Model Context Protocol')
    .option('--http', 'over HTTP instead of standard input and output: POST /mcp')
    .option('--port <n>', 'port, with --http; 0 takes a free one', parseWholeNumber(0, 65_535), 8080)
    .option('--host <address>', 'address to listen on, with --http', '127.0.0.1')
    .option(
      '--allow-host <names...>',
      'names under which it may be called beside localhost, with --http; "*" for any (default: none)',
    )
    .option('--device <name>', servingDevices.join(', '), parseChoice(servingDevices, 'device'), 'cpu')
    .option('--profile <name>', profileHelp)
    .option('--require-signature <file>', requireSignatureHelp)
    .option('--threads <n>', 'threads for one run on the CPU', parseWholeNumber(1, 256))
    .addHelpText(
      'after',
      '\nExamples:\n  fuzzqe mcp bundles/countries\n  fuzzqe mcp bundles/countries --http --port 8080',
    )
    .action(async (bundle: string, flags: McpFlags) => {
      const { serveAssistants } = await import('../actions/mcp.ts');
      await serveAssistants(terminal, bundle, flags);
    });
}
