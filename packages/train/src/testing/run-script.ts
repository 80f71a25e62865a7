import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** How a process ended, and what it wrote. */
export interface ScriptResult {
  readonly code: number | string;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a TypeScript file of these sources in a process of its own, for what a test cannot do in its own process: what
 * native code prints, crashes. Node 20 runs no TypeScript, so it is built into a folder that git ignores. Packages that
 * are to be absent are left to Node.
 */
export async function runScript(
  entry: string,
  args: readonly string[],
  { absent = [] }: { readonly absent?: readonly string[] } = {},
): Promise<ScriptResult> {
  const folder = await mkdtemp(join(repository, '.tmp-script-'));
  try {
    const script = join(folder, 'script.mjs');
    await build({
      entryPoints: [entry],
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      entryNames: 'script',
      bundle: true,
      splitting: true, // what is imported on demand stays so
      platform: 'node',
      format: 'esm',
      target: 'node20',
      conditions: ['@fuzzqe/source'],
      plugins: [ownPackages(absent)],
      logLevel: 'error',
    });
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

/** Builds in the packages of this repository, from their sources, and leaves all others to Node. */
export function ownPackages(absent: readonly string[] = []): Plugin {
  return {
    name: 'own packages',
    setup({ onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        const own = path.startsWith('@fuzzqe/') && !absent.includes(path);
        return own || kind === 'entry-point' ? undefined : { path, external: true };
      });
    },
  };
}
