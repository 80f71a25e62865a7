import { FuzzError } from '@fuzzqe/core';
import { queryFromBetaE } from '@fuzzqe/core/query';
import type { ModelInfo, StructureInfo } from '@fuzzqe/engine/api';
import { readAddress, type SharedQuestion } from '../question/address.ts';
import { createNaming } from '../question/naming.ts';
import { emptyQuestion } from '../question/question.ts';
import { usualSettings } from '../question/settings.ts';
import { fromQuery } from '../question/to-query.ts';
import { type AnswerSource, SourceError } from '../sources/answer-source.ts';
import { browserSource } from '../sources/browser-source.ts';
import { httpSource } from '../sources/http-source.ts';
import { bundleAddress, type PageConfig } from '../sources/page-config.ts';
import { openSourceNames } from '../sources/source-names.ts';
import type { PageStart } from './page-state.ts';

/** What a page is opened with. */
export interface OpenOptions {
  readonly page: URL;
  readonly config: PageConfig;
  /** Which model; default the first. */
  readonly model: string | undefined;
  /** The key that the server asks for, each time anew. */
  readonly key: () => string | undefined;
  readonly onProgress: NonNullable<Parameters<typeof browserSource>[0]['onProgress']>;
}

/** The structure whose example a page begins with. */
const firstExample = '2in';

/**
 * Finds out what there is to ask, and what is asked first: the question of the address, else an example.
 *
 * @throws SourceError nobody answers, or a key is needed.
 */
export async function openPage(options: OpenOptions): Promise<PageStart> {
  const { page, config, key } = options;
  const { server: address, bundle } = config;
  if (address === undefined && bundle === undefined)
    throw new SourceError('failed', 'This page has neither a server nor a bundle to ask.');
  const root = address === undefined ? undefined : new URL(address, page).href.replace(/\/$/, '');
  const models = root === undefined ? undefined : await httpSource({ address: root, key }).models();
  const name = models?.find((each) => each.name === options.model)?.name ?? models?.[0]?.name;
  const server =
    root === undefined
      ? undefined
      : httpSource({ address: root, key, ...(name === undefined ? {} : { model: name }) });
  const open = (
    onProgress: OpenOptions['onProgress'],
    onWarning: (message: string) => void,
  ): Promise<AnswerSource> =>
    browserSource({ bundle: bundleAddress(page, bundle ?? '', name ?? ''), onProgress, onWarning });
  const browser = server === undefined ? await open(options.onProgress, () => undefined) : undefined;
  // One of both is there.
  const source = (server ?? browser) as AnswerSource;
  const all = models ?? (await source.models());
  const model = all.find((each) => each.name === name) ?? all[0];
  if (model === undefined)
    throw new SourceError('failed', 'The server has no model open yet.', { hint: 'Try again in a moment.' });
  const [names, structures] = await Promise.all([openSourceNames(source, model), source.structures()]);
  const naming = createNaming(names);
  let linkProblem: string | undefined;
  const shared = await readAddress(page.hash, naming).catch((error: unknown) => {
    if (!(error instanceof FuzzError)) throw error;
    linkProblem = `The question of this link cannot be read: ${error.message}.`;
    return undefined;
  });
  return {
    server,
    openBrowser: bundle === undefined || server === undefined ? undefined : open,
    browser,
    model,
    models: all,
    names,
    naming,
    apiAddress: `${root ?? 'http://localhost:8080'}/v1`,
    structures,
    linkProblem,
    ...(shared ?? firstQuestion(model, structures)),
  };
}

function firstQuestion({ entities }: ModelInfo, structures: readonly StructureInfo[]): SharedQuestion {
  const example = structures.find(({ name }) => name === firstExample);
  const question =
    example === undefined || entities === 0 ? emptyQuestion : fromQuery(queryFromBetaE(example.tuple));
  return { question, settings: usualSettings };
}
