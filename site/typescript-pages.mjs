// Writes docs/reference/typescript from the docstrings of the packages.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';

const out = fileURLToPath(new URL('../docs/reference/typescript', import.meta.url));
const app = await Application.bootstrapWithPlugins({
  options: fileURLToPath(new URL('typedoc.json', import.meta.url)),
});
const project = await app.convert();
if (project === undefined) throw new Error('the sources cannot be read');
await app.generateOutputs(project);
for (const entry of await readdir(out, { recursive: true, withFileTypes: true })) {
  if (!entry.name.endsWith('.md')) continue;
  const path = `${entry.parentPath}/${entry.name}`;
  const text = await readFile(path, 'utf8');
  // Markdown hides `[n, d]: text`, which describes a shape, as the target of a link.
  const shown = text.replaceAll(/^\[([^\]\n]+)\]: /gm, '\\[$1\\]: ').replaceAll('{{', '&#123;&#123;');
  await writeFile(path, shown);
}
