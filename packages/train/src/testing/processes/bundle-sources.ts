import { type BuildOptions, build } from 'esbuild';

/**
 * Builds TypeScript entries into modules that Node 20, which runs no TypeScript, can start: packages of this repository
 * from their sources, all others, and those that are to be absent, as they are installed.
 */
export async function bundleSources(
  options: Required<Pick<BuildOptions, 'entryPoints' | 'outdir'>> & Pick<BuildOptions, 'outExtension'>,
  absent: readonly string[] = [],
): Promise<void> {
  await build({
    ...options,
    bundle: true,
    splitting: true, // what is imported on demand stays so
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@fuzzqe/source'],
    plugins: [
      {
        name: 'own packages',
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
            const own = path.startsWith('@fuzzqe/') && !absent.includes(path);
            return own || kind === 'entry-point' ? undefined : { path, external: true };
          });
        },
      },
    ],
    logLevel: 'error',
  });
}
