// The script of the threads that rank as one file: to find and read a hundred modules takes each thread a tenth of a second.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const file = fileURLToPath(new URL('../packages/serve/dist/pool/ranker-worker.js', import.meta.url));
// Installed for @fuzzqe/ort, from where it is found, and loaded in its turn: after what turns its telemetry off.
const runtime = `
  import { createRequire } from 'node:module';
  const runtime = createRequire(import.meta.resolve('@fuzzqe/ort'))('onnxruntime-node');
  export const { InferenceSession, Tensor, env } = runtime;
`;
const { metafile } = await build({
  entryPoints: [file],
  outfile: file,
  allowOverwrite: true,
  bundle: true,
  format: 'esm',
  target: 'node20',
  platform: 'node',
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
  plugins: [
    {
      name: 'runtime',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^onnxruntime-node$/ }, ({ path }) => ({ path, namespace: 'runtime' }));
        onLoad({ filter: /./, namespace: 'runtime' }, () => ({ contents: runtime }));
      },
    },
  ],
});
// The compiler's map is of what the file was, and the sources of other packages are not published with it.
rmSync(`${file}.map`, { force: true });

// Packages of others are part of the file: their licences ask for their notice next to it.
const folders = new Set(
  Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [],
  ),
);
const notices = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const notice = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (notice === undefined) throw new Error(`expected a licence in ${folder}`);
  return `${name} ${version}, ${license}\n\n${readFileSync(join(folder, notice), 'utf8').trim()}\n`;
});
if (notices.length > 0)
  writeFileSync(
    file.replace(/\.js$/, '.licences.txt'),
    `ranker-worker.js contains:\n\n${notices.join('\n')}`,
  );
