import type { ModelInfo, StructureInfo } from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';
import { queryFromBetaE } from '@fuzzqe/core/query';
import { signal as createSignal } from '@preact/signals';
import { answerGroups } from '../ask/answer-groups.ts';
import { modelOfAddress, readAddress, type SharedQuestion } from '../question/address.ts';
import { createNaming, type Naming } from '../question/naming.ts';
import { emptyQuestion } from '../question/question.ts';
import { settingsFor, usualSettings } from '../question/settings.ts';
import { fromQuery } from '../question/to-query.ts';
import { type AnswerSource, SourceError } from '../sources/answer-source.ts';
import { answerableModels } from '../sources/answerable-models.ts';
import { browserSource } from '../sources/browser-source.ts';
import { httpSource } from '../sources/http-source.ts';
import { bundleAddress, type PageConfig } from '../sources/page-config.ts';
import { openSourceNames } from '../sources/source-names.ts';
import { closeQuietly, type PageStart } from './page-state.ts';

/** What a page is opened with. */
export interface OpenOptions {
  readonly page: URL;
  readonly config: PageConfig;
  /** Which model; default that of the address, else the first. */
  readonly model: string | undefined;
  /** The key that the server asks for, each time anew. */
  readonly key: () => string | undefined;
  /** Takes another key, which goes with requests from then on. */
  readonly giveKey: (key: string) => void;
  readonly onProgress: NonNullable<Parameters<typeof browserSource>[0]['onProgress']>;
  /** Gives up; a bundle that was opened is closed. */
  readonly signal: AbortSignal;
}

/** What is asked of the model, and its answer where that is known. */
type Asked = Omit<SharedQuestion, 'model'> & Pick<PageStart, 'firstAnswer'>;

/** The structures whose examples a page may begin with; the first is taken where no example has predicted answers. */
const firstExamples = ['2i', '2p', '2in'];

/**
 * Finds out what there is to ask, and what is asked first: the question of the address, else an example.
 *
 * @throws SourceError nobody answers, a key is needed, or no model has its facts.
 */
export async function openPage(options: OpenOptions): Promise<PageStart> {
  const { page, config, key, signal } = options;
  const { server: address, bundle, webgpu } = config;
  if (address === undefined && bundle === undefined)
    throw new SourceError('failed', 'This page has neither a server nor a bundle to ask.');
  const root = address === undefined ? undefined : new URL(address, page).href.replace(/\/$/, '');
  const served = root === undefined ? undefined : await httpSource({ address: root, key }).models(signal);
  const models = served && answerableModels(served);
  const linked = modelOfAddress(page.hash);
  const wanted = options.model ?? linked;
  const name = models?.find((each) => each.name === wanted)?.name ?? models?.[0]?.name;
  const server =
    root === undefined
      ? undefined
      : httpSource({ address: root, key, ...(name === undefined ? {} : { model: name }) });
  const warnings = createSignal<readonly string[]>([]);
  const open = (onProgress: OpenOptions['onProgress'], until: AbortSignal): Promise<AnswerSource> =>
    browserSource({
      bundle: bundleAddress(page, bundle ?? '', name ?? ''),
      webgpu,
      key: key(),
      onProgress,
      onWarning(message) {
        if (!warnings.peek().includes(message)) warnings.value = [...warnings.peek(), message];
      },
      signal: until,
    });
  const browser = server === undefined ? await open(options.onProgress, signal) : undefined;
  // One of both is there.
  const source = (server ?? browser) as AnswerSource;
  try {
    const all = models ?? answerableModels(await source.models(signal));
    const model = all.find((each) => each.name === name) ?? all[0];
    if (model === undefined)
      throw new SourceError('failed', 'The server has no model open yet.', {
        hint: 'Try again in a moment.',
      });
    const isFirst = model.name === (served ?? all)[0]?.name;
    const own = isFirst ? '' : `/models/${encodeURIComponent(model.name)}`;
    const [names, examples] = await Promise.all([
      openSourceNames(source, model, signal),
      source.examples(signal),
    ]);
    const naming = createNaming(names);
    // Another model than that of the address was chosen: it begins with an example of its own.
    const isOther = options.model !== undefined && options.model !== linked;
    const read = await readLink(
      isOther ? '' : page.hash,
      naming,
      model,
      linked !== undefined && options.model === undefined,
    );
    signal.throwIfAborted();
    return {
      server,
      openBrowser: bundle === undefined || server === undefined ? undefined : open,
      browser,
      warnings,
      model,
      models: all,
      names,
      naming,
      apiAddress: `${root ?? 'http://localhost:8080'}/v1${own}`,
      hasKey: () => key() !== undefined,
      giveKey: options.giveKey,
      examples,
      linkProblem: read.problem,
      isWelcome: read.shared === undefined,
      ...(read.shared ?? (await firstQuestion(source, model, examples.structures, signal))),
    };
  } catch (error) {
    if (browser !== undefined) await closeQuietly(browser);
    throw error;
  }
}

/** The question of a link, or what is wrong with it. */
async function readLink(
  hash: string,
  naming: Naming,
  { name }: ModelInfo,
  namesModel: boolean,
): Promise<{ readonly shared?: Asked | undefined; readonly problem: string | undefined }> {
  const linked = modelOfAddress(hash);
  if (namesModel && linked !== name)
    return { problem: `This link is about the model ${JSON.stringify(linked)}, which is not here.` };
  try {
    return { shared: await readAddress(hash, naming), problem: undefined };
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    return { problem: `The question of this link cannot be read: ${error.message}.` };
  }
}

/** The first example that has recorded and predicted answers, so that a visitor sees both. */
async function firstQuestion(
  source: AnswerSource,
  { entities }: ModelInfo,
  structures: readonly StructureInfo[],
  signal: AbortSignal,
): Promise<Asked> {
  const settings = usualSettings;
  const examples = firstExamples.flatMap((name) => structures.find((each) => each.name === name) ?? []);
  const [first] = examples;
  if (first === undefined || entities === 0) return { question: emptyQuestion, settings };
  const { k } = settingsFor(settings, { entities });
  let best: Asked = { question: fromQuery(queryFromBetaE(first.tuple)), settings };
  let bestScore = -1;
  for (const { tuple } of examples) {
    const query = queryFromBetaE(tuple);
    const found = await source.ask(query, { k, signal }).catch(() => undefined);
    // The page says itself what keeps the source from answering.
    if (found === undefined) break;
    const { answers, suggestions } = found.answer;
    const worth = { Recorded: 1, Predicted: 4, Suggestions: 2 };
    const score = answerGroups(answers, suggestions).reduce((sum, { title }) => sum + worth[title], 0);
    if (score > bestScore) {
      best = { question: fromQuery(query), settings, firstAnswer: found };
      bestScore = score;
    }
    if (score === 7) break;
  }
  return best;
}
