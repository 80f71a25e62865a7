import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { licenceFileOf, licenceOf } from './supply-chain/licence-of.mjs';

/** Writes the licences of packages that are part of a file next to it, where they ask for their notice; texts that are the same once. */
export function writeNotices(file, { inputs }) {
  const folders = new Set(
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []),
  );
  const packages = [...folders].sort().map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { name, version, repository } = manifest;
    const license = licenceOf(manifest);
    const [owner] = /(?<=github\.com[/:])[^/]+/.exec(repository?.url ?? repository ?? '') ?? [];
    return { title: `${name} ${version}, ${license}`, folder, license, owner, text: noticeIn(folder) };
  });
  const packagesOf = new Map();
  for (const { title, folder, license, owner, text } of packages) {
    // A repository of many packages has its licence in some of them.
    const sibling = packages.find((each) => each.owner === owner && each.license === license && each.text);
    const notice = text ?? (owner === undefined ? undefined : sibling?.text);
    if (notice === undefined) throw new Error(`expected a licence in ${folder}`);
    packagesOf.set(notice, [...(packagesOf.get(notice) ?? []), title]);
  }
  if (packagesOf.size === 0) return;
  const notices = [...packagesOf].map(([text, titles]) => `${titles.join('\n')}\n\n${text}\n`);
  writeFileSync(
    file.replace(/\.js$/, '.licences.txt'),
    `${basename(file)} contains:\n\n${notices.join('\n')}`,
  );
}

/** The text of a licence that a package has in a file, or at the end of its readme. */
function noticeIn(folder) {
  const files = readdirSync(folder);
  const textOf = (name) => (name === undefined ? undefined : readFileSync(join(folder, name), 'utf8').trim());
  const readme = textOf(files.find((each) => /^readme/i.test(each))) ?? '';
  return (
    textOf(licenceFileOf(files)) ?? /^#* *licen[cs]e\b[\s\S]*permission is[\s\S]*/im.exec(readme)?.[0].trim()
  );
}
