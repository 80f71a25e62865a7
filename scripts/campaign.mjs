// Bundles the campaign, whose sources are TypeScript that imports the sources of the packages, and runs it: npm run campaign.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Inside node_modules, so that the packages of others are found from there.
const folder = join(root, 'node_modules', '.cache', 'fuzzqe-campaign');

/** Bundles a program of test/campaign; gives the path of what can be run. */
export async function bundleCampaign(entry = 'test/campaign/campaign.ts', name = 'campaign') {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@fuzzqe/source'],
    logLevel: 'warning',
    plugins: [
      {
        name: 'only our own packages',
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || path.startsWith('@fuzzqe/') || path.startsWith('/')
              ? undefined
              : { path, external: true },
          );
        },
      },
    ],
  });
  return outfile;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const program = await bundleCampaign();
  const child = spawn(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 1;
  });
}
