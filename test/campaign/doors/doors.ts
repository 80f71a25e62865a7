import type { Door } from '../door.ts';
import { binaryDoors } from './binaries.ts';
import { bundleDoors } from './bundles.ts';
import { diskDoors } from './disks.ts';
import { factDoors } from './facts.ts';
import { httpDoors } from './http.ts';
import { killDoors } from './kills.ts';
import { manifestDoors } from './manifests.ts';
import { patternDoors } from './patterns.ts';
import { pickleDoors } from './pickles.ts';
import { queryDoors } from './queries.ts';
import { servingDoors } from './serving.ts';
import { settingDoors } from './settings.ts';
import { sparqlDoors } from './sparql.ts';
import { tripleDoors } from './triples.ts';

/** Every door that the campaign tries, in the order of its table. */
export const doors: readonly Door[] = [
  ...tripleDoors,
  ...pickleDoors,
  ...binaryDoors,
  ...queryDoors,
  ...patternDoors,
  ...sparqlDoors,
  ...settingDoors,
  ...factDoors,
  ...bundleDoors,
  ...manifestDoors,
  ...httpDoors,
  ...servingDoors,
  ...diskDoors,
  ...killDoors,
];
