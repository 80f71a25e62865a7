import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import {
  type Dataset,
  hasHeldOutFacts,
  type QueryPart,
  type QuerySetSizes,
  queriesAlreadyThere,
  queryFileOf,
  queryParts,
} from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';
import type { Terminal } from '../../terminal/terminal.ts';

/** What was said about the numbers of queries; a part of which nothing was said is undefined. */
export interface RequestedSizes extends Partial<Readonly<Record<QueryPart, number>>> {
  readonly trainNegation?: number;
  /** Whether queries that are there may be replaced. */
  readonly replace: boolean;
}

/**
 * How many queries of each part to sample.
 *
 * A part that was not named has its default; where it has queries already, or no facts are held out for it, it is left out,
 * and a note says so.
 *
 * @throws FuzzError `usage`: queries that are there would be replaced without `replace`, or nothing is left to sample.
 */
export async function samplingSizes(
  terminal: Terminal,
  folder: string,
  dataset: Dataset,
  asked: RequestedSizes,
  defaults: QuerySetSizes,
): Promise<QuerySetSizes> {
  const sizes: Record<QueryPart, number> = { train: 0, valid: 0, test: 0 };
  for (const part of queryParts) {
    const path = queryFileOf(folder, part);
    const taken = !asked.replace && (await pathExists(path));
    const size = asked[part];
    if (taken && size !== undefined && size > 0) throw queriesAlreadyThere(folder, part);
    if (size !== undefined) sizes[part] = size;
    else if (taken) terminal.note(`The ${part} queries stay as they are: ${path}`);
    else if (part === 'train' || hasHeldOutFacts(dataset, part)) sizes[part] = defaults[part];
    else terminal.note(`No ${part} facts are held out, so there are no ${part} queries to sample.`);
  }
  if (queryParts.every((part) => sizes[part] === 0))
    throw new FuzzError('usage', 'there is nothing to sample', {
      path: join(folder, 'queries'),
      hint: 'name a number of queries, such as --train 4000, and --replace to replace those that are there',
    });
  return asked.trainNegation === undefined ? sizes : { ...sizes, trainNegation: asked.trainNegation };
}
