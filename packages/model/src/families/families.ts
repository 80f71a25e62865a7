import type { FamilyName, OfFamily } from '../config/family-traits.ts';
import { betae, betaeDm } from './betae/betae.ts';
import { complex } from './complex/complex.ts';
import type { Family } from './family.ts';
import { bases } from './fuzzqe/bases.ts';
import { blocks } from './fuzzqe/blocks.ts';
import { gqe } from './gqe/gqe.ts';
import { query2box } from './query2box/query2box.ts';

const families: Readonly<Record<FamilyName, Family>> = {
  ...{ bases, blocks, complex },
  ...{ gqe, query2box, betae, betaeDm },
};

/**
 * The family of a model, with its formulas.
 *
 * @example
 * familyOf({ relationForm: 'gqe' }).trains; // the names of the trained tensors
 */
export function familyOf({ relationForm }: OfFamily): Family {
  return families[relationForm];
}
