import type { Door } from '../door.ts';

/** The files of doors, those first that load little: processes are started by the thousand, each for one door. */
const files: readonly (() => Promise<readonly Door[]>)[] = [
  async () => (await import('./queries.ts')).queryDoors,
  async () => (await import('./patterns.ts')).patternDoors,
  async () => (await import('./sparql.ts')).sparqlDoors,
  async () => (await import('./triples.ts')).tripleDoors,
  async () => (await import('./pickles.ts')).pickleDoors,
  async () => (await import('./kills.ts')).killDoors,
  async () => (await import('./disks.ts')).diskDoors,
  async () => (await import('./binaries.ts')).binaryDoors,
  async () => (await import('./settings.ts')).settingDoors,
  async () => (await import('./facts.ts')).factDoors,
  async () => (await import('./manifests.ts')).manifestDoors,
  async () => (await import('./bundles.ts')).bundleDoors,
  async () => (await import('./http.ts')).httpDoors,
  async () => (await import('./serving.ts')).servingDoors,
];

/** The door of a name, without what the doors of later files need. */
export async function findDoor(name: string): Promise<Door> {
  for (const load of files) {
    const found = (await load()).find((door) => door.name === name);
    if (found !== undefined) return found;
  }
  throw new Error(`no door ${name}`);
}
