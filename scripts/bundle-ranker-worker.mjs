// The script of the threads that rank as one file: to find and read a hundred modules takes each thread a tenth of a second.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const file = fileURLToPath(new URL('../packages/serve/dist/pool/ranker-worker.js', import.meta.url));
// Installed for @fuzzqe/ort, from where it is found, and loaded in its turn: after what turns its telemetry off.
const runtime = `
  import { createRequire } from 'node:module';
  const runtime = createRequire(import.meta.resolve('@fuzzqe/ort'))('onnxruntime-node');
  export const { InferenceSession, Tensor, env } = runtime;
`;
await build({
  entryPoints: [file],
  outfile: file,
  allowOverwrite: true,
  bundle: true,
  format: 'esm',
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
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
