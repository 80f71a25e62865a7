import { type Command, Option } from 'commander';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe install-cuda`. */
export function addInstallCudaCommand(program: Command, terminal: Terminal): void {
  const cuda = new Option('--cuda <version>', 'the CUDA version, as nvidia-smi says at the top right');
  program
    .command('install-cuda')
    .description("install onnxruntime-node's CUDA provider (Linux x86-64)")
    .addOption(cuda.choices(['12', '13']).makeOptionMandatory())
    .option('--index <url>', 'Python package index for version 13 (default: PyPI)')
    .addHelpText('after', '\nExample:\n  fuzzqe install-cuda --cuda 12')
    .action(doing(terminal, async () => (await import('../actions/install-cuda.ts')).installCudaProvider));
}
