import { installCuda } from '../devices/install-cuda.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createByteProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe install-cuda` was told. */
export interface InstallCudaFlags {
  readonly cuda: '12' | '13';
  readonly index?: string;
}

/** Does `fuzzqe install-cuda`. */
export async function installCudaProvider(
  terminal: Terminal,
  { cuda, index }: InstallCudaFlags,
): Promise<NextCommand> {
  const { files, missing } = await interruptible(terminal, async (signal) =>
    installCuda({
      cuda: cuda === '12' ? 12 : 13,
      signal,
      onProgress: createByteProgress(terminal, 'Downloading'),
      ...(index === undefined ? {} : { index }),
    }),
  );
  terminal.status('');
  terminal.out(`Installed:\n  ${files.join('\n  ')}`);
  if (missing.length === 0) {
    terminal.note('Everything it needs is there.');
    return ['devices', 'cuda'];
  }
  terminal.note(`Not found on this machine, and needed: ${missing.join(', ')}`);
  terminal.note(`Install CUDA ${cuda}'s libraries and cuDNN 9, or name their folder in LD_LIBRARY_PATH.`);
  return ['devices', 'cuda'];
}
