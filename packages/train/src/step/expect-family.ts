import { FuzzError } from '@fuzzqe/core';
import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { familyOf, type ModelConfig, structuresOf, traitsOf } from '@fuzzqe/model';
import type { TrainingConfig } from '../config.ts';
import type { BatchLayout } from './batch-layout.ts';

/** An option that a family cannot have: where it stands, what is wrong, and what to write instead. */
interface WrongOption {
  readonly path: string;
  readonly problem: string;
  readonly write: Partial<Pick<TrainingConfig, 'projection' | 'dropout' | 'batch' | 'relationPrediction'>>;
}

/**
 * Refuses options that a model's family does not learn from, all at once, and says what to write instead.
 *
 * @throws FuzzError `config`, with the path of the first.
 */
export function expectFamily(model: ModelConfig, config: TrainingConfig, { groups }: BatchLayout): void {
  const { name, hasDropout, projectGroups, relationFeatures } = familyOf(model);
  const wrong: WrongOption[] = [];
  if (projectGroups === undefined && config.projection === 'grouped')
    wrong.push({
      path: '$.projection',
      problem: `expected "outer", got "grouped": relations by ${name} have no matrices to group rows by`,
      write: { projection: 'outer' },
    });
  if (!hasDropout && config.dropout.input + config.dropout.output > 0)
    wrong.push({
      path: '$.dropout',
      problem: 'expected no dropout',
      write: { dropout: { input: 0, output: 0 } },
    });
  const learned = structureNames.filter((structure) => learnsFrom(model, structure));
  const unlearned = groups
    .map(({ structure }) => structure)
    .filter((structure) => !learned.includes(structure));
  if (unlearned.length > 0)
    wrong.push({
      path: `$.batch.${unlearned[0]}`,
      problem: `expected some of ${learned.join(', ')}, as other structures are answered without training, got ${unlearned.join(', ')}`,
      write: { batch: Object.fromEntries(unlearned.map((structure) => [structure, 0])) },
    });
  if (config.relationPrediction > 0 && relationFeatures === undefined)
    wrong.push({
      path: '$.relationPrediction',
      problem: `expected 0, or relationForm "blocks" or "complex", got ${config.relationPrediction}`,
      write: { relationPrediction: 0 },
    });
  const [first] = wrong;
  if (first === undefined) return;
  const write = JSON.stringify(Object.assign({}, ...wrong.map((each) => each.write)));
  const list = wrong.slice(1).map(({ path, problem }) => `\n  ${path}: ${problem}`);
  throw new FuzzError('config', `${name}: ${first.problem}${list.join('')}`, {
    path: first.path,
    hint: `Write ${write}.`,
  });
}

/** Whether a family learns from queries of a structure. */
function learnsFrom(model: ModelConfig, structure: StructureName): boolean {
  const hasUnion = structure === '2u' || structure === 'up';
  const { distances } = traitsOf(model);
  return structuresOf(model).includes(structure) && !(hasUnion && distances && distances !== 'trees');
}
