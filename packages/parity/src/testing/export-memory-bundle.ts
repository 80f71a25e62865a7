import { createRandom } from '@fuzzqe/core';
import type { MemoryBundle } from '@fuzzqe/engine/testing';
import { defaultSets, type ProfileName, randomGoldenQueries } from '@fuzzqe/export';
import { exportOnce } from './export-once.ts';

/** Writes a small model with its facts as a bundle into a folder. Default: named `tiny`, the first profile and three golden queries a structure. */
export async function exportMemoryBundle(
  directory: string,
  { config, parameters, vocabulary, facts }: MemoryBundle,
  options: {
    readonly name?: string;
    readonly profiles?: readonly ProfileName[];
    readonly golden?: number;
  } = {},
): Promise<void> {
  const { name = 'tiny', profiles, golden = 3 } = options;
  const each = <T>(count: number, make: (id: number) => T): T[] =>
    Array.from({ length: count }, (_, id) => make(id));
  const names = [
    ...each(vocabulary.entityCount, (id) => vocabulary.entity(id)),
    ...each(vocabulary.relationCount, (id) => vocabulary.relation(id)),
    ...[vocabulary.prefixes, vocabulary.aliases.texts()].map((texts) => [...texts]),
  ];
  const numbers = Object.entries(parameters).map(([table, values]) => [table, [...values]]);
  const key = JSON.stringify([name, profiles, golden, config, names, numbers, [...facts.forwardTriples()]]);
  await exportOnce(key, {
    directory,
    name,
    config,
    parameters,
    vocabulary,
    graph: facts,
    sets: defaultSets(config),
    data: { name: 'random', licence: 'Apache-2.0' },
    training: {},
    metrics: {},
    goldenQueries: randomGoldenQueries(config, golden, createRandom('golden')),
    k: Math.min(10, config.entities),
    ...(profiles === undefined ? {} : { profiles }),
  });
}
