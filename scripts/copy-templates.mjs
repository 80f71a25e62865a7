// Copies the examples that are templates next to the build of create-fuzzqe.
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { templates } from 'create-fuzzqe/templates';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
for (const [name, { copied, named }] of Object.entries(templates))
  for (const file of [...copied, ...named])
    cpSync(path(`examples/${name}/${file}`), path(`packages/create-fuzzqe/dist/template/${name}/${file}`), {
      recursive: true,
    });
