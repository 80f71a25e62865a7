import { createRandom, type Random } from '@fuzzqe/core';
import type { Parameters } from '@fuzzqe/core/model';
import type { OracleFact } from './answers.ts';
import type { OracleModel } from './model.ts';
import { type OracleQuery, oracleStructures } from './query.ts';
import type { OracleCalibration } from './sets.ts';

/** A random model with queries to compare on; numbers are float32, as trained ones are. */
export interface OracleCase {
  readonly model: Required<OracleModel>;
  readonly parameters: Parameters;
  /** One of each structure. */
  readonly structures: readonly {
    readonly structure: string;
    readonly anchors: readonly number[];
    readonly relations: readonly number[];
  }[];
  readonly trees: readonly OracleQuery[];
  readonly facts: readonly OracleFact[];
  readonly calibration: OracleCalibration;
}

type Choices = Omit<Required<OracleModel>, 'entities' | 'relations' | 'dimension' | 'bases'>;
type Named = Omit<Choices, 'negationLambda'>;

const options: { readonly [Name in keyof Named]: readonly Named[Name][] } = {
  relationForm: ['bases'],
  logic: ['product', 'godel', 'lukasiewicz'],
  mapping: ['logistic', 'boundedRectifier'],
  entityMapping: ['logistic', 'boundedRectifier'],
  entityNormalisation: ['l1', 'l2'],
  projectionInput: ['raw', 'l2'],
  score: ['innerProduct', 'cosine'],
};

const named = (Object.keys(options) as (keyof Named)[]).reduce<readonly Partial<Named>[]>(
  (found, name) => found.flatMap((choice) => options[name].map((value) => ({ ...choice, [name]: value }))),
  [{}],
  // as: every name has been given a value.
) as readonly Named[];

/** All 96 choices that a model configuration leaves for bases, with one negation after the other. */
export const allChoices: readonly Choices[] = named.map((choice, i) => ({
  ...choice,
  negationLambda: [0, -0.6, 0.5, 0, 2][i % 5]!,
}));

/** The choices that it leaves for blocks. */
export const blockChoices: readonly Choices[] = options.logic.flatMap((logic) => {
  const forced = {
    relationForm: 'blocks',
    mapping: 'logistic',
    entityMapping: 'logistic',
    entityNormalisation: 'l1',
    score: 'innerProduct',
    logic,
  } as const;
  return [
    { ...forced, projectionInput: 'raw', negationLambda: 0 },
    { ...forced, projectionInput: 'lengthened', negationLambda: -0.6 },
    { ...forced, projectionInput: 'domain', negationLambda: -0.6 },
  ];
});

/** A model of some choices with random numbers, of dimensions that are all different. */
export function oracleCase(choices: Choices, seed: string, entityCount = 13): OracleCase {
  const isBlocks = choices.relationForm === 'blocks';
  const model = { entities: entityCount, relations: 6, dimension: isBlocks ? 8 : 7, bases: 3, ...choices };
  const { entities, relations, dimension: d, bases } = model;
  const recorded = Math.min(entities, 13);
  const random = createRandom('oracle', seed, JSON.stringify(choices));
  const normals = (count: number, mean: number, deviation: number): Float32Array =>
    Float32Array.from({ length: count }, () => mean + deviation * random.normal());
  const free = normals(entities * d, 0.5, 0.4);
  // An entity that the bounded rectifier maps to zero, and one that it maps to ones but for one element: entities of equal
  // elements would tie with each other.
  free.fill(-0.5, 0, d).fill(1.5, d, 2 * d - 1);
  const draw = (count: number, below: number): number[] =>
    Array.from({ length: count }, () => random.below(below));
  return {
    model,
    parameters: isBlocks
      ? {
          entities: free,
          // Small blocks take what follows from them close to its mean, so that it is lengthened.
          coefficients: normals(relations * d, 0, choices.projectionInput === 'raw' ? 1.5 : 0.2),
        }
      : {
          entities: free,
          coefficients: normals(relations * bases, 0, 0.8),
          bases: normals(bases * d * d, 0, 1),
          biasBases: normals(bases * d, 0, 0.5),
        },
    structures: Object.entries(oracleStructures).map(([structure, { a, r }]) => ({
      structure,
      anchors: draw(a, entities),
      relations: draw(r, relations),
    })),
    trees: Array.from({ length: 4 }, () => randomTree(random, model, 4)),
    // Of so few entities that it is known which heads a partition is measured with.
    facts: [
      ...Array.from(
        { length: 2 * recorded },
        (): OracleFact => [
          random.below(recorded),
          2 * random.below(relations / 2 - 1),
          random.below(recorded),
        ],
      ),
      // A relation whose tails have one head each, with two heads for one of them where there are many.
      ...Array.from(
        { length: recorded - 2 },
        (_, tail): OracleFact => [random.below(3), relations - 2, tail + 1],
      ),
    ],
    // Few members, so that some are left out, and degrees on both sides of the cap.
    calibration: {
      temperature: 9,
      cap: 0.4,
      weight: 0.6,
      exponent: 0.7,
      exclusivity: 0.6,
      neighbourWeight: 0.4,
      support: 0.35,
      negationLambda: 4,
      certainMembers: 2,
      predictedMembers: 3,
    },
  };
}

/** A query tree with at most `depth` operators above an anchor. */
function randomTree(random: Random, model: OracleModel, depth: number): OracleQuery {
  const inner = (): OracleQuery => randomTree(random, model, depth - 1);
  const kind = depth === 0 ? 0 : random.below(7);
  if (kind === 0) return { entity: random.below(model.entities) };
  if (kind <= 3) return { project: random.below(model.relations), from: inner() };
  if (kind === 4) return { not: inner() };
  const operands = Array.from({ length: 2 + random.below(2) }, inner);
  return kind === 5 ? { and: operands } : { or: operands };
}
