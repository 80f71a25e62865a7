// The script of the threads that rank as one file: to find and read a hundred modules takes each thread a tenth of a second.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeNotices } from './write-notices.mjs';

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

writeNotices(file, metafile);
