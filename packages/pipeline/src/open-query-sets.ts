import { createRandom } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import {
  type Dataset,
  hasHeldOutFacts,
  isPublished,
  type QueryPart,
  type QuerySetOptions,
  type QuerySets,
  queryFileOf,
  queryParts,
  readQueryFileOf,
  type SampledQueries,
  sampleQuerySets,
  writeQuerySets,
} from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';

/**
 * The queries of a data set: those that lie in its folder, and sampled ones for parts without any, which are written there.
 *
 * @throws FuzzError `data`: the graph is too small for queries, or a file is damaged. `interrupted`.
 */
export async function openQuerySets(
  folder: string,
  dataset: Dataset,
  { seed, sizes, ...options }: Omit<QuerySetOptions, 'random'> & { readonly seed: number },
): Promise<QuerySets> {
  const there = new Set<QueryPart>();
  for (const part of queryParts) if (await pathExists(queryFileOf(folder, part))) there.add(part);
  const sizeOf = (part: QueryPart): number =>
    there.has(part) || (part !== 'train' && !hasHeldOutFacts(dataset, part)) ? 0 : sizes[part];
  const asked = { train: sizeOf('train'), valid: sizeOf('valid'), test: sizeOf('test') };
  const trainNegation = there.has('train') ? 0 : (sizes.trainNegation ?? sizes.train);
  const sampled =
    asked.train + asked.valid + asked.test === 0
      ? nothing
      : await sampleQuerySets(dataset, {
          ...options,
          sizes: { ...asked, trainNegation },
          random: createRandom('queries', seed),
        });
  await writeQuerySets(folder, sampled, { ...options, sizes: { ...asked, trainNegation }, seed });
  const read = async (part: QueryPart): Promise<readonly SampledQueries<string>[]> =>
    there.has(part) ? (await readQueryFileOf(folder, dataset, part)).queries : [];
  const [train, valid, test] = [await read('train'), await read('valid'), await read('test')];
  return {
    train: [...sampled.train, ...published(train).filter(({ structure }) => structure !== '1p')],
    valid: [...sampled.valid, ...published(valid)],
    test: [...sampled.test, ...published(test)],
    own: {
      valid: [...sampled.own.valid, ...ofOthers(valid)],
      test: [...sampled.own.test, ...ofOthers(test)],
    },
    missing: sampled.missing,
  };
}

const nothing: QuerySets = {
  ...{ train: [], valid: [], test: [] },
  own: { valid: [], test: [] },
  missing: { train: [], valid: [], test: [] },
};

function published(queries: readonly SampledQueries<string>[]): SampledQueries[] {
  return queries.filter((each): each is SampledQueries<StructureName> => isPublished(each.structure));
}

function ofOthers(queries: readonly SampledQueries<string>[]): SampledQueries<string>[] {
  return queries.filter(({ structure }) => !isPublished(structure));
}
