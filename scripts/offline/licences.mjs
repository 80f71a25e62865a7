import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { licenceFileOf, licenceOf } from '../supply-chain/licence-of.mjs';

// Packages that say their licence and bring no text of it. The holders are those of their repositories.
const holders = [
  [/^onnxruntime-/, 'Microsoft Corporation'],
  [/^seedrandom$/, 'David Bau'],
  [/^@rubensworks\/saxes$/, 'Isaac Z. Schlueter, Louis-Dominique Dubeau and Contributors'],
];

const isc = (holder) => `ISC License

Copyright (c) ${holder}

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted,
provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF
CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
`;

const mit = (holder) => `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

const texts = { ISC: isc, MIT: mit };

/** Writes `LICENSES/`: a table of what is in the archive, and the texts that the packages do not bring themselves. */
export function writeLicences(root, folder, packages, node) {
  copyFileSync(join(root, 'LICENSE'), join(folder, 'Apache-2.0.txt'));
  const rows = packages.map(({ manifest, files, target }) => {
    const { name, version } = manifest;
    const licence = licenceOf(manifest);
    const own = licenceFileOf(files);
    if (own !== undefined) return `${name}\t${version}\t${licence}\t${target}/${own}`;
    return `${name}\t${version}\t${licence}\t${textFor(folder, name, licence)}`;
  });
  rows.push(`node\t${node.slice(1)}\tMIT and others\tLICENSES/node.txt`);
  writeFileSync(join(folder, 'README.txt'), `package\tversion\tlicence\ttext\n${rows.join('\n')}\n`);
}

function textFor(folder, name, licence) {
  if (licence === 'Apache-2.0') return 'LICENSES/Apache-2.0.txt';
  const holder = holders.find(([pattern]) => pattern.test(name))?.[1];
  const text = texts[licence];
  if (text === undefined || holder === undefined)
    throw new Error(
      `${name} brings no licence text (${licence}): name its holder in scripts/offline/licences.mjs`,
    );
  const file = `${name.replaceAll('/', '-')}.txt`;
  writeFileSync(join(folder, file), text(holder));
  return `LICENSES/${file}`;
}

/** The version of the workspace's packages, which is one. */
export const versionOf = (root) =>
  JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')).version;
