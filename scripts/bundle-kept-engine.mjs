// The engine that evaluates SPARQL as one file: its 250 packages would be most of what an installation has, and take a second to load.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeNotices } from './write-notices.mjs';

const file = fileURLToPath(new URL('../packages/sparql/dist/evaluate/kept-engine.js', import.meta.url));
/** The engine gets algebra, which this project's own parser reads: it needs no parser. */
const noParser = `exports.Parser = class { parse() { throw new Error('expected algebra'); } };`;
const { metafile } = await build({
  entryPoints: [file],
  outfile: file,
  allowOverwrite: true,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  // Without modules of Node: the file is for any runtime.
  platform: 'browser',
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
  plugins: [
    {
      name: 'no-parser',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^@traqula\/parser-sparql-1-2$/ }, ({ path }) => ({
          path,
          namespace: 'no-parser',
        }));
        onLoad({ filter: /./, namespace: 'no-parser' }, () => ({ contents: noParser }));
      },
    },
  ],
});
// The compiler's map is of what the file was.
rmSync(`${file}.map`, { force: true });
writeNotices(file, metafile);
