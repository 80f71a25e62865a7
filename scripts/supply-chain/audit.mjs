// Holds the lockfile against known vulnerabilities:
//
//   npm run audit:packages
//
// advisories.json is the list that needs no network; where the registry answers `npm audit`, what it knows counts as well. Ends
// with 1 where something is known that advisories.json does not accept with a reason.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findAdvisories, findingsOfNpm } from './advisories.mjs';
import { lockedPackages } from './locked-packages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'));
const list = JSON.parse(readFileSync(new URL('advisories.json', import.meta.url), 'utf8'));
const packages = lockedPackages(lock);
const { open, accepted, idle } = findAdvisories(packages, list);

// The setting `audit=false` of .npmrc is about installations; a command asks all the same.
const { stdout } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
  cwd: root,
  encoding: 'utf8',
  timeout: 60_000,
});
const online = findingsOfNpm(stdout ?? '');
const isAccepted = ({ id, name }) => list.accepted.some((each) => each.id === id && each.package === name);
for (const finding of online ?? [])
  if (!isAccepted(finding) && !open.some(({ id, name }) => id === finding.id && name === finding.name))
    open.push(finding);

for (const { id, name, version, reason } of accepted)
  console.log(`accepted  ${name}@${version}  ${id}: ${reason}`);
for (const { id, name, version, severity, summary } of open)
  console.log(`open      ${name}@${version}  ${id} (${severity}): ${summary}`);
for (const { id, package: name } of idle)
  console.log(`idle      ${name}  ${id}: accepted, and no longer there`);
const asked = online === undefined ? 'the registry answers no audit' : 'and by the registry';
console.log(
  `${packages.length} packages, ${list.advisories.length} advisories of ${list.date}, ${asked}: ${open.length} open, ${accepted.length} accepted`,
);
process.exitCode = open.length + idle.length === 0 ? 0 : 1;
