import { createRandom, type Random } from '@fuzzqe/core';
import type { Parameters } from '@fuzzqe/model';
import type { OracleFact } from './answers.ts';
import type { OracleEvidence, OracleRule } from './evidence.ts';
import type { OracleModel } from './model.ts';
import { type OracleQuery, oracleStructures } from './query.ts';
import type { OracleSets } from './sets.ts';

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
  readonly sets: OracleSets;
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
  const random = createRandom('oracle', seed, JSON.stringify(choices));
  const normals = (count: number, mean: number, deviation: number): Float32Array =>
    Float32Array.from({ length: count }, () => mean + deviation * random.normal());
  const free = normals(entities * d, 0.5, 0.4);
  // An entity that the bounded rectifier maps to zero, and one that it maps to ones but for one element: entities of equal
  // elements would tie with each other.
  free.fill(-0.5, 0, d).fill(1.5, d, 2 * d - 1);
  // The last entity has no facts.
  const fact = (): OracleFact => [
    random.below(entities - 1),
    2 * random.below(relations / 2 - 1),
    random.below(entities - 1),
  ];
  const drawn = Array.from({ length: 2 * entities }, fact);
  // A relation without loops, whose tails have one head each.
  const exclusive = Array.from(
    { length: entities - 4 },
    (_, i): OracleFact => [random.below(3), relations - 2, i + 3],
  );
  // A class of the type relation.
  const instances = Array.from({ length: 6 }, (_, i): OracleFact => [i + 5, 2, 0]);
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
    sets: {
      facts: [...drawn, ...exclusive, ...instances],
      entailed: Array.from({ length: 6 }, fact),
      rules: rulesOf(random.fork('rules'), model, drawn),
      temperature: 2.5,
      typeRelations: [2],
      weights: Array.from({ length: relations }, () =>
        Array.from(normals(featureCount, 0, 0.7)).map((weight, i) => (i === 0 ? weight - 1 : weight)),
      ),
      recordedShare: 0.3,
      // Few members, so that some are left out.
      projection: { support: 0.35, certainMembers: 2, predictedMembers: 3 },
    },
  };
}

const featureCount = 12;

/** Rules of every kind, some of which name one entity more than six times. */
function rulesOf(random: Random, model: OracleModel, facts: readonly OracleFact[]): OracleRule[] {
  const rules = new Map<string, OracleRule>();
  const add = (body: Omit<OracleRule, 'hits' | 'predictions'>): void => {
    const predictions = 2 + random.below(30);
    rules.set(JSON.stringify(body), { ...body, predictions, hits: 1 + random.below(predictions) });
  };
  for (let relation = 0; relation < model.relations; relation += 1)
    for (let i = 0; i < 24; i += 1) {
      add({
        relation,
        path: Array.from({ length: 1 + (i % 3) }, () => random.below(model.relations - 2)),
      });
      const [head, along, tail] = facts[random.below(facts.length)]!;
      const to = i % 2 === 0 ? ([along, tail] as const) : ([along + 1, head] as const);
      add({ relation, constant: [random.below(3), ...to] });
    }
  return [...rules.values()];
}

/** A graph and rules of one relation, whose paths are more than are looked at. */
export interface OracleHub extends Pick<OracleEvidence, 'facts' | 'rules'> {
  readonly entities: number;
  readonly relations: number;
  /** The relation that has rules. */
  readonly relation: number;
}

/** A hub, each of whose neighbours is one. */
export function oracleHub(): OracleHub {
  const random = createRandom('oracle', 'hub');
  const [entities, relations, relation] = [1700, 6, 4];
  const facts: OracleFact[] = [];
  for (const along of [0, 2])
    for (let head = 0; head <= 40; head += 1)
      for (let i = 1; i <= 40; i += 1) facts.push([head, along, head === 0 ? i : random.below(entities)]);
  const rules: OracleRule[] = [];
  for (let i = 0; i < 4 + 16 + 64; i += 1) {
    const length = i < 4 ? 1 : i < 20 ? 2 : 3;
    const path = Array.from({ length }, (_, at) => Math.floor(i / 4 ** at) % 4);
    // So few confidences that the length and the relations decide, too.
    rules.push({ relation, hits: 1 + random.below(3), predictions: 5, path });
  }
  return { entities, relations, relation, facts, rules };
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
