import { FuzzError } from '@fuzzqe/core';
import {
  type AnyFamilyName,
  addTraits,
  type FamilyTraits,
  type OfFamily,
  type OtherFamilyName,
} from '../config/family-traits.ts';
import { betae, betaeDm } from './betae/betae.ts';
import { complex } from './complex/complex.ts';
import type { Family } from './family.ts';
import { bases } from './fuzzqe/bases.ts';
import { blocks } from './fuzzqe/blocks.ts';
import { gqe, gqeDeepSets } from './gqe/gqe.ts';
import { query2box } from './query2box/query2box.ts';

const families: Record<AnyFamilyName, Family> = {
  ...{ bases, blocks, complex },
  ...{ gqe, gqeDeepSets, query2box, betae, betaeDm },
};

/**
 * The family of a model, with its formulas.
 *
 * @throws FuzzError `config`: a name without a family.
 * @example
 * familyOf({ relationForm: 'gqe' }).trains; // the names of the trained tensors
 */
export function familyOf({ relationForm }: OfFamily): Family {
  const family = families[relationForm];
  if (family !== undefined) return family;
  throw new FuzzError('config', `relationForm: expected a family, got ${relationForm}`, {
    path: '$.model.relationForm',
    hint: 'Import the module that adds it first.',
  });
}

/** A family of another package, whose name begins with `x-`. */
export type OtherFamily = Family & { readonly name: OtherFamilyName };

/**
 * Adds a family for this process, so that `relationForm` may name it in every configuration, run and bundle.
 *
 * Call it before anything reads a model of the family. Every thread and process needs the call: `node --import` gives it to all.
 *
 * @throws FuzzError `usage`: the name is taken or does not begin with `x-`, or the traits say otherwise than the family whether scores are distances.
 * @example
 * addFamily({ ...familyOf({ relationForm: 'blocks' }), name: 'x-mine' }, { isCentred: true });
 */
export function addFamily(family: OtherFamily, traits: FamilyTraits): void {
  if (!family.name.startsWith('x-') || Object.hasOwn(families, family.name))
    throw new FuzzError('usage', `family: expected a new name that begins with x-, got ${family.name}`, {
      hint: 'Add a family once in a process.',
    });
  if ((family.distances === undefined) !== (traits.distances === undefined))
    throw new FuzzError(
      'usage',
      `traits of ${family.name}: expected distances if the family has distances, got ${traits.distances}`,
      { hint: 'Readers know the traits only: say there which queries a family by distances embeds.' },
    );
  families[family.name] = family;
  addTraits(family.name, traits);
}
