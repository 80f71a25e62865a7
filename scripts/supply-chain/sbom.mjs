// Prints a CycloneDX 1.6 bill of materials of the published packages and everything that they bring:
//
//   npm run --silent sbom > fuzzqe.cdx.json
//
// From the lockfile alone, so the same lockfile gives the same bytes. `npm sbom` refuses a workspace whose root has no version, and
// writes another serial number and time at every run.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lockedPackages } from './locked-packages.mjs';

/** The bill of materials of a lockfile. `licences` gives the licence of what the lockfile names none for. */
export function billOfMaterials(lock, licences = {}) {
  const packages = lockedPackages(lock, { production: true });
  const references = new Map(packages.map((each) => [each.key, packageUrl(each)]));
  const command = packages.find(({ name }) => name === 'fuzzqe');
  const component = (each) => ({
    type: each.own && each === command ? 'application' : 'library',
    'bom-ref': references.get(each.key),
    name: each.name,
    version: each.version,
    purl: references.get(each.key),
    licenses: licencesOf(each.entry.license ?? licences[each.name]),
    ...(each.entry.integrity === undefined ? {} : { hashes: hashesOf(each.entry.integrity) }),
    ...(each.entry.optional === true ? { scope: 'optional' } : {}),
  });
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component(command) },
    components: packages.filter((each) => each !== command).map(component),
    dependencies: packages.map((each) => ({
      ref: references.get(each.key),
      dependsOn: [...each.dependencies].map((key) => references.get(key)).sort(),
    })),
  };
}

/** A package as https://github.com/package-url/purl-spec writes those of npm. */
function packageUrl({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function licencesOf(expression) {
  if (expression === undefined) return [];
  return / /.test(expression) ? [{ expression }] : [{ license: { id: expression } }];
}

/** `sha512-<base64>` as CycloneDX writes it, in hex. */
function hashesOf(integrity) {
  return integrity.split(' ').map((each) => {
    const [, name, digest] = /^sha(\d+)-(.+)$/.exec(each);
    return { alg: `SHA-${name}`, content: Buffer.from(digest, 'base64').toString('hex') };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
  // It names its licence in a form that npm no longer keeps in lockfiles.
  console.log(JSON.stringify(billOfMaterials(lock, { 'world-countries': 'ODbL-1.0' }), null, 2));
}
