import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleSources } from './bundle-sources.ts';

const repository = fileURLToPath(new URL('../../../../../', import.meta.url));

/** How a process ended, and what it wrote. */
export interface ScriptResult {
  readonly code: number | string;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a TypeScript file of these sources in a process of its own, for what a test cannot do in its own process: what
 * native code prints, crashes. It is built into a folder that git ignores; packages that are to be absent are left to Node.
 */
export async function runScript(
  entry: string,
  args: readonly string[],
  { absent = [] }: { readonly absent?: readonly string[] } = {},
): Promise<ScriptResult> {
  const folder = await mkdtemp(join(repository, '.tmp-script-'));
  try {
    const script = join(folder, 'script.mjs');
    await bundleSources(
      { entryPoints: { script: entry }, outdir: folder, outExtension: { '.js': '.mjs' } },
      absent,
    );
    const child = spawn(process.execPath, [script, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (part: Buffer) => {
      output += part.toString();
    });
    child.stderr.on('data', (part: Buffer) => {
      errors += part.toString();
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return { code: code ?? signal ?? 'unknown', output, errors };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
