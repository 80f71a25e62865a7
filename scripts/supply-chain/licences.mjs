// Writes docs/licences.md, the licences of everything that anyone who installs all packages gets:
//
//   npm run licences
//
// It reads the lockfile and the installed packages.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isPermissive, licenceFileOf, licenceOf } from './licence-of.mjs';
import { lockedPackages } from './locked-packages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What is under another kind of licence on purpose, and why that is right. */
export const exceptions = {
  'world-countries':
    'data, of which the Countries graph is made, under the licence of databases that the graph names; none of it is code',
};

/** Every production package with its licence and the file that has its text. */
export function readLicences() {
  const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'));
  return lockedPackages(lock, { production: true })
    .filter(({ own }) => !own)
    .map(({ name, version, path }) => {
      const manifest = JSON.parse(readFileSync(`${root}/${path}/package.json`, 'utf8'));
      return {
        name,
        version,
        licence: licenceOf(manifest),
        file: licenceFileOf(readdirSync(`${root}/${path}`).sort()),
      };
    });
}

/** Those whose licence reaches the code that uses them, or that name none. */
export function refused(licences) {
  return licences.filter(({ name, licence }) => !isPermissive(licence) && !(name in exceptions));
}

/** The report as Markdown. */
export function licenceReport(licences) {
  const counts = [...groupByLicence(licences)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([licence, all]) => `${licence} (${all.length})`);
  const without = licences.filter(({ file }) => file === undefined);
  const rows = licences.map(
    ({ name, version, licence, file }) => `| ${name} | ${version} | ${licence} | ${file ?? 'none'} |`,
  );
  return `# Licences of the dependencies

What \`npm install\` of all packages brings, optional dependencies included. Written by \`npm run licences\`; a test compares it with the
lockfile and what is installed, and refuses any licence that would reach the code which uses a package.

${licences.length} packages: ${counts.join(', ')}.

${Object.entries(exceptions)
  .map(([name, reason]) => `\`${name}\` is ${reason}.`)
  .join('\n')}

${without.length} of them name a licence and bring no text of it: ${without.map(({ name }) => `\`${name}\``).join(', ')}.
The [offline archive](offline.md) has those texts for what it packs.

| Package | Version | Licence | File with its text |
|---|---|---|---|
${rows.join('\n')}
`;
}

function groupByLicence(licences) {
  const kinds = new Map();
  for (const each of licences) kinds.set(each.licence, [...(kinds.get(each.licence) ?? []), each]);
  return kinds;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const licences = readLicences();
  writeFileSync(`${root}/docs/licences.md`, licenceReport(licences));
  const wrong = refused(licences);
  for (const { name, version, licence } of wrong)
    console.error(`${name}@${version}: ${licence} is not permissive`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
