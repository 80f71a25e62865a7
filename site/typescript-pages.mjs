// Writes docs/reference/typescript from the docstrings of the packages, a page for each entry point.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'docs/reference/typescript');

/** Name and source of each entry point that programs import. */
const entries = new Map();
for (const folder of (await readdir(join(root, 'packages'))).sort()) {
  const { name, exports } = JSON.parse(
    await readFile(join(root, 'packages', folder, 'package.json'), 'utf8'),
  );
  if (!name.startsWith('@')) continue;
  for (const [path, { '@fuzzqe/source': source }] of Object.entries(exports))
    if (source !== undefined && path !== './testing')
      entries.set(`packages/${folder}/${source.slice(2)}`, name + path.slice(1));
}

const app = await Application.bootstrapWithPlugins({
  plugin: ['typedoc-plugin-markdown'],
  entryPoints: [...entries.keys()].map((path) => join(root, path)),
  tsconfig: join(root, 'tsconfig.json'),
  basePath: root,
  outputs: [{ name: 'markdown', path: out }],
  name: 'TypeScript',
  readme: 'none',
  router: 'module',
  entryFileName: 'index',
  hideBreadcrumbs: true,
  hidePageHeader: true,
  disableSources: true,
  excludeInternal: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  logLevel: 'Error',
  skipErrorChecking: true,
});
const project = await app.convert();
if (project === undefined) throw new Error('the sources cannot be read');
for (const module of project.children ?? []) {
  const name = [...entries].find(([path]) => path.replace(/(?:\/index)?\.ts$/, '') === module.name)?.[1];
  if (name === undefined) throw new Error(`${module.name}: no entry point of a package`);
  module.name = name;
}
await app.generateOutputs(project);
for (const entry of await readdir(out, { recursive: true, withFileTypes: true })) {
  if (!entry.name.endsWith('.md')) continue;
  const path = join(entry.parentPath, entry.name);
  const text = await readFile(path, 'utf8');
  // Markdown takes `[n, d]: text`, which describes a shape, for the target of a link, and hides it.
  const shown = text.replaceAll(/^\[([^\]\n]+)\]: /gm, '\\[$1\\]: ').replaceAll('{{', '&#123;&#123;');
  await writeFile(path, shown);
}
