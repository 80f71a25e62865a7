import { FuzzError, type Random } from '@fuzzqe/core';
import { type StructureName, structures } from '@fuzzqe/core/query';
import { type ModelConfig, structuresOf } from '@fuzzqe/model';

/** A query whose answer by the reference goes into the bundle. */
export interface GoldenQuery {
  readonly structure: StructureName;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
}

/**
 * Random queries, so many of each structure; whether they have answers in the graph does not matter.
 *
 * @example
 * const golden = randomGoldenQueries(trained.config, 4, createRandom('golden', 0));
 */
export function randomGoldenQueries(
  config: ModelConfig,
  perStructure: number,
  random: Random,
): GoldenQuery[] {
  const draw = (count: number, below: number): number[] =>
    Array.from({ length: count }, () => random.below(below));
  return structuresOf(config).flatMap((structure) =>
    Array.from({ length: perStructure }, () => ({
      structure,
      anchors: draw(structures[structure].anchors, config.entities),
      relations: draw(structures[structure].relations, config.relations),
    })),
  );
}

/**
 * Refuses golden queries that do not fill their structures or leave a structure out.
 *
 * @throws FuzzError `range`: an id that the model does not have. `usage`: a wrong number of slots, or a structure
 * without a query, because what is not compared is not known to be right.
 * @example
 * checkGoldenQueries(trained.config, randomGoldenQueries(trained.config, 4, createRandom('golden', 0)));
 */
export function checkGoldenQueries(config: ModelConfig, queries: readonly GoldenQuery[]): void {
  queries.forEach((query, i) => {
    const structure = structures[query.structure];
    for (const kind of ['anchors', 'relations'] as const) {
      const path = `goldenQueries[${i}].${kind}`;
      if (query[kind].length !== structure[kind])
        throw new FuzzError(
          'usage',
          `${query.structure}: expected ${structure[kind]} ${kind}, got ${query[kind].length}`,
          { path },
        );
      const limit = kind === 'anchors' ? config.entities : config.relations;
      const bad = query[kind].find((id) => !Number.isInteger(id) || id < 0 || id >= limit);
      if (bad !== undefined)
        throw new FuzzError('range', `expected an integer in [0, ${limit}), got ${bad}`, { path });
    }
  });
  const missing = structuresOf(config).filter((name) => !queries.some(({ structure }) => structure === name));
  if (missing.length > 0)
    throw new FuzzError(
      'usage',
      `golden queries: expected one of each structure, none of ${missing.join(', ')}`,
      {
        path: 'goldenQueries',
        hint: 'Take `randomGoldenQueries` where there are no better ones.',
      },
    );
}
