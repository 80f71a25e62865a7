import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKnowledgeGraph, createRandom, type NameEntry, type Random } from '@fuzzqe/core';
import {
  defaultSets,
  type ExportOptions,
  type ProfileName,
  randomGoldenQueries,
  type TargetName,
} from '@fuzzqe/export';
import {
  basesOf,
  type FamilyName,
  initialiseParameters,
  type ModelConfig,
  type Parameters,
  plainModel,
} from '@fuzzqe/model';
import { createVocabulary } from '@fuzzqe/names';
import { exportOnce } from './export-once.ts';

/** A bundle of a small random model, and what it was made from. */
export interface TinyBundle {
  readonly directory: string;
  readonly config: ModelConfig;
  readonly parameters: Parameters;
  /** The first fact. */
  readonly first: Int32Array;
}

const tinyModel: ModelConfig = { entities: 40, relations: 6, ...plainModel, dimension: 16 };

/** Exports one with relations that are blocks; its numbers are far rougher than trained ones. */
export function tinyBlocks(
  profiles: readonly ProfileName[] = ['fp32'],
  target: TargetName = 'node',
): Promise<TinyBundle> {
  const config: ModelConfig = { ...tinyModel, relationForm: 'blocks', entityNormalisation: 'l1' };
  const random = createRandom('tiny blocks');
  const { entities, coefficients } = initialiseParameters(config, random);
  const parameters: Parameters = {
    entities: entities.map((value) => 10 * value),
    coefficients: coefficients.map((value) => 8 * value),
  };
  return writeTiny(config, parameters, random, { profiles, target });
}

/** Exports one of another family, as it starts but with relations that lead farther. */
export function tinyOf(
  relationForm: FamilyName,
  profiles: readonly ProfileName[] = ['fp32'],
): Promise<TinyBundle> {
  const config: ModelConfig = { ...tinyModel, relationForm, dimension: 48 };
  const random = createRandom('tiny', relationForm);
  const start = initialiseParameters(config, random);
  const parameters: Parameters = {
    ...start,
    coefficients: start.coefficients.map((value) => 2 * value),
  };
  return writeTiny(config, parameters, random, { profiles });
}

/** What a bundle is exported with. */
interface TinyOptions extends Pick<ExportOptions, 'memory' | 'partBytes' | 'provenances'> {
  /** The confidence of the first fact. Default: 1. */
  readonly confidence?: number;
}

/** Exports one; another seed gives another model of the same sizes, little memory one without facts, and few bytes a part more parts. */
export async function tinyBundle(
  seed = 'tiny',
  profiles: readonly ProfileName[] = ['fp32'],
  target: TargetName = 'node',
  more: TinyOptions = {},
): Promise<TinyBundle> {
  const config = tinyModel;
  const random = createRandom('tiny bundle', seed);
  const start = initialiseParameters(config, random);
  // A start is nearly flat: what differs visibly makes for a harder comparison.
  const parameters: Parameters = {
    ...start,
    entities: start.entities.map((value) => 0.5 + 6 * (value - 0.5)),
    coefficients: start.coefficients.map((value) => 4 * value),
    biasBases: basesOf(start).biasBases.map((value) => value + 0.2 * random.normal()),
  };
  return writeTiny(config, parameters, random, {
    profiles,
    target,
    ...more,
  });
}

async function writeTiny(
  config: ModelConfig,
  parameters: Parameters,
  random: Random,
  { confidence, ...options }: Pick<ExportOptions, 'profiles' | 'target'> & TinyOptions,
): Promise<TinyBundle> {
  const names = (kind: string, count: number): NameEntry[] =>
    Array.from({ length: count }, (_, i) => ({ key: `${kind}${i}`, label: `${kind} ${i}` }));
  const directory = await mkdtemp(join(tmpdir(), 'fuzzqe-tiny-'));
  const facts = random.fork('facts');
  const graph = createKnowledgeGraph({
    entityCount: 40,
    relationCount: 6,
    triples: Int32Array.from({ length: 3 * 90 }, (_, i) =>
      i % 3 === 1 ? 2 * facts.below(3) : facts.below(40),
    ),
  });
  const first = graph.forwardTriples().slice(0, 3);
  const numbers = Object.entries(parameters).map(([table, values]) => [table, [...values]]);
  await exportOnce(JSON.stringify([config, numbers, graph.forwardTriples(), confidence, options]), {
    directory,
    name: 'tiny',
    config,
    parameters,
    vocabulary: createVocabulary({ entities: names('e', 40), relations: names('r', 3) }),
    graph,
    sets: defaultSets(config),
    data: { name: 'random', licence: 'CC0-1.0' },
    training: {},
    metrics: {},
    goldenQueries: randomGoldenQueries(config, 3, random.fork('golden')),
    k: 10,
    ...(confidence === undefined
      ? {}
      : { provenances: { stated: [{ confidence }], triples: first, places: Int32Array.of(0) } }),
    ...options,
  });
  return { directory, config, parameters, first };
}
