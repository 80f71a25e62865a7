import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import {
  copyQueries,
  type Dataset,
  hashDataset,
  holdsDataset,
  type ImportPathOptions,
  importPath,
  isSourceAddress,
  readDataset,
  writeDataset,
} from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';

/** What the path of some triples does not say of how to read them, as `fuzzqe data import` takes it. */
export type PipelineImport = Omit<ImportPathOptions, 'name' | 'seed' | 'onProgress' | 'signal'>;

/** How the triples become a data set. */
export interface OpenDatasetOptions {
  readonly name: string;
  readonly seed: number;
  readonly importing?: PipelineImport | undefined;
  /** Stops the reading of a source. */
  readonly signal?: AbortSignal;
  onProgress(done: number, total: number): void;
}

/**
 * The data set of some triples, in a folder: written there if nothing is, and otherwise the one that lies there.
 *
 * The queries of a data set's folder are copied there, too, those that came with it or were drawn for it and its sets of other
 * names.
 *
 * @throws FuzzError `usage`: the folder holds another graph, another split of this one, other labels of it, another licence, or other queries; how to import was said
 *   of what needs no import. `data`: the triples.
 */
export async function openDataset(
  folder: string,
  triples: string | Dataset,
  options: OpenDatasetOptions,
): Promise<Dataset> {
  const { dataset, queries } = await imported(triples, options);
  const opened = (await pathExists(folder))
    ? await sameDataset(folder, dataset)
    : await writeDataset(folder, dataset, queries).then(() => dataset);
  if (typeof triples === 'string' && (await isDatasetFolder(triples))) await copyQueries(triples, folder);
  return opened;
}

async function sameDataset(folder: string, dataset: Dataset): Promise<Dataset> {
  const there = await readDataset(folder);
  const [expected, found] = [hashDataset(dataset), hashDataset(there)];
  if (expected !== found)
    throw new FuzzError('usage', `there is another graph here already: ${there.name}, sha256 ${found}`, {
      path: folder,
      hint: `That of ${dataset.name} has sha256 ${expected}. Choose another folder (out), or remove this one.`,
    });
  const { licence, vocabulary } = dataset;
  if (await holdsDataset(folder, { ...there, licence, vocabulary })) return there;
  const isLicence = licence !== there.licence;
  throw new FuzzError(
    'usage',
    `this graph is here already with ${isLicence ? `the licence ${there.licence}, not ${licence}` : 'other labels, descriptions or prefixes'}`,
    {
      path: folder,
      hint: 'Remove this folder, and what the triples say now is taken; training is not repeated. Or choose another folder (out).',
    },
  );
}

async function isDatasetFolder(path: string): Promise<boolean> {
  return !isSourceAddress(path) && pathExists(join(path, 'dataset.json'));
}

async function imported(
  triples: string | Dataset,
  { importing = {}, ...options }: OpenDatasetOptions,
): Promise<Pick<Awaited<ReturnType<typeof importPath>>, 'dataset' | 'queries'>> {
  const isFile = typeof triples === 'string' && !(await isDatasetFolder(triples));
  if (isFile) return importPath(triples, { ...importing, ...options });
  const said = Object.keys(importing);
  if (said.length > 0)
    throw new FuzzError(
      'usage',
      `import: expected nothing to be said of a data set, got ${said.join(', ')}`,
      {
        path: typeof triples === 'string' ? triples : triples.name,
        hint: 'It is imported already: its names, split and licence are its own.',
      },
    );
  return { dataset: typeof triples === 'string' ? await readDataset(triples) : triples, queries: {} };
}
