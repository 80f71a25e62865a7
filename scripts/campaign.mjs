// Bundles the campaign, whose sources are TypeScript that imports the sources of the packages, and runs it: npm run campaign.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Inside node_modules, so that the packages of others are found from there.
const folder = join(root, 'node_modules', '.cache', 'fuzzqe-campaign', 'bin');

/** The scripts of a server's threads. */
const scripts = {
  'ranker-worker': join(root, 'packages/serve/src/pool/ranker-worker.ts'),
  'parse-texts': join(root, 'packages/cli/src/sparql/parse-texts.ts'),
  'evaluate-queries': join(root, 'packages/cli/src/sparql/evaluate-queries.ts'),
};

const ourPackages = {
  name: 'only our own packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || /^(?:@fuzzqe|create-fuzzqe)\//.test(path)
        ? undefined
        : { path, external: true },
    );
  },
};

/** Bundles a program of test/campaign, and next to it the command as `command.mjs`; gives the path of what can be run. */
export async function bundleCampaign(entry = 'test/campaign/campaign.ts', name = 'campaign') {
  mkdirSync(folder, { recursive: true });
  // Where the command and the server look for their version.
  const about = { version: '0.0.0-campaign', type: 'module' };
  for (const place of [dirname(folder), dirname(dirname(folder))])
    writeFileSync(join(place, 'package.json'), JSON.stringify(about));
  const command = join(folder, 'command.ts');
  const main = JSON.stringify(join(root, 'packages/cli/src/main.ts'));
  writeFileSync(command, `import { main } from ${main};\nawait main();\n`);
  await build({
    entryPoints: {
      command,
      [name]: join(root, entry),
      ...scripts,
    },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    // What is imported late is loaded late: processes are started by the thousand.
    splitting: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@fuzzqe/source'],
    logLevel: 'warning',
    plugins: [ourPackages],
  });
  // Where the server looks for the scripts of its threads.
  for (const script of Object.keys(scripts))
    writeFileSync(join(folder, `${script}.js`), `import './${script}.mjs';\n`);
  // And for the page of the playground: a small one, since nothing is built for the campaign.
  const page = join(dirname(folder), 'dist', 'app');
  mkdirSync(join(page, 'assets'), { recursive: true });
  writeFileSync(
    join(page, 'index.html'),
    '<!doctype html>\n<script src="assets/index-00000000.js"></script>\n',
  );
  writeFileSync(join(page, 'assets', 'index-00000000.js'), 'export {};\n'.repeat(100));
  return join(folder, `${name}.mjs`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const program = await bundleCampaign();
  const child = spawn(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 1;
  });
}
