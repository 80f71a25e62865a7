import { stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { ManifestOptions } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { readDataset } from '@fuzzqe/data';
import { type EntityTexts, openBundle, textsOf } from '@fuzzqe/engine';
import { pathExists } from '@fuzzqe/files';
import { noAttributes } from '@fuzzqe/names';
import { bundleFolder, folderSource } from '@fuzzqe/serve';
import type { NamedGraph } from './example-query.ts';

/** A relation with the number of its facts, and one of them. */
export interface NamedRelation {
  readonly id: number;
  readonly key: string;
  readonly label: string;
  readonly facts: number;
  /** `France → Germany`; null where it has no fact. */
  readonly example: string | null;
}

/** What lies at a path. */
export interface OpenedGraph extends NamedGraph {
  readonly isBundle: boolean;
  /** The literals of an entity. */
  textsOf(id: number): Promise<EntityTexts>;
}

/**
 * Opens what lies at a path.
 *
 * @throws FuzzError `data` or `bundle` where it is damaged, `bundle`: it is neither.
 */
export async function openNamedGraph(
  path: string,
  signature: ManifestOptions = {},
  onNote: (line: string) => void = () => {},
): Promise<OpenedGraph> {
  if (await pathExists(join(path, 'dataset.json'))) {
    if (signature.requireSignature !== undefined)
      throw new FuzzError(
        'usage',
        '--require-signature: expected a bundle, got a data set, which has no signature',
        {
          path,
          hint: 'Leave it out, or give a bundle.',
        },
      );
    const dataset = await readDataset(path);
    const { vocabulary, attributes = noAttributes } = dataset;
    return {
      ...{ vocabulary, facts: dataset.graphs().full, isBundle: false },
      textsOf: async (id) => textsOf(vocabulary, attributes, id),
    };
  }
  const folder = await bundleFolder(path, { onNote });
  if (!(await pathExists(folder)))
    throw new FuzzError('bundle', 'expected the folder of a bundle or of a data set, got nothing', {
      path,
      hint: 'Check the path. `fuzzqe export` makes bundles, `fuzzqe data import` data sets.',
    });
  if ((await stat(folder)).isFile())
    throw new FuzzError('bundle', 'expected the folder of a bundle or of a data set, got a file', {
      path,
      hint: `Of triples, make a data set first: fuzzqe data import ${path} --out data/${parse(path).name}`,
    });
  // Without a signature to hold, names are read whatever became of the other files.
  const verify = signature.requireSignature !== undefined;
  const bundle = await openBundle(folderSource(folder), {
    ...signature,
    verify,
  });
  const { vocabulary, facts } = bundle;
  return { vocabulary, facts, isBundle: true, textsOf: bundle.textsOf };
}

/** Every relation, in the order of the ids. */
export function relationsOf({ vocabulary, facts }: NamedGraph): NamedRelation[] {
  const count = vocabulary.relationCount / 2;
  const [counts, first] = [new Int32Array(count), new Int32Array(count).fill(-1)];
  const triples = facts.forwardTriples();
  for (let i = 0; i < triples.length; i += 3) {
    const forward = triples[i + 1]! / 2;
    if (counts[forward]! === 0) first[forward] = i;
    counts[forward]! += 1;
  }
  return Array.from({ length: count }, (_, forward) => {
    const at = first[forward]!;
    const { key, label } = vocabulary.relation(2 * forward);
    const nameOf = (id: number): string => vocabulary.entity(id).label;
    const example = at < 0 ? null : `${nameOf(triples[at]!)} → ${nameOf(triples[at + 2]!)}`;
    return { id: 2 * forward, key, label, facts: counts[forward]!, example };
  });
}
