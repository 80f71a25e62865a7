import { FuzzError } from '@fuzzqe/core';
import { formatQuery, isPatternText } from '@fuzzqe/core/query';
import {
  type AnswerMode,
  type AnswerOptions,
  type BundleEngine,
  type BundleOptions,
  openEngine,
} from '@fuzzqe/engine';
import { bundleFolder, folderSource, nodeSessions, type OpenIndex, openIndexedEngine } from '@fuzzqe/serve';
import { signatureOptions } from '../options/read-key.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { matchText, readQuestion, refuseOfPatterns } from './match-text.ts';
import { formatAnswers, formatSupport, operandTexts, parseWithHint, toldApart } from './query-text.ts';
import { judgeEntity, type Verdict } from './query-verdict.ts';
import { readInWords } from './read-in-words.ts';

/** What `fuzzqe query` was told. */
export interface QueryFlags {
  /** A file. */
  readonly requireSignature?: string;
  readonly k?: number;
  readonly exclude: 'known' | 'none';
  readonly mode: AnswerMode;
  readonly minDegree?: number;
  /** False: answers alone. */
  readonly suggestions?: boolean;
  /** The name of an entity: whether it answers. */
  readonly is?: string;
  /** A query in the text notation. */
  readonly filter?: string;
  readonly explain?: boolean;
  /** Counts what is recorded and what is expected. */
  readonly count?: boolean;
  /** The most links of a pattern that are computed. */
  readonly links?: number;
  /** The most entities that are tried for a variable of a pattern. */
  readonly width?: number;
  /** A table of comma-separated values. */
  readonly csv?: boolean;
  /** A date. */
  readonly at?: string;
  /** The URL of an index. */
  readonly index?: string;
  readonly profile?: string;
  readonly json?: boolean;
}

/** Does `fuzzqe query`. */
export async function answerText(
  terminal: Terminal,
  bundle: string,
  text: string,
  {
    profile,
    index,
    json,
    csv,
    count,
    links,
    width,
    requireSignature,
    filter,
    is: name,
    ...flags
  }: QueryFlags,
): Promise<{ readonly next: NextCommand; readonly verdict?: Verdict }> {
  const next: NextCommand = ['serve', bundle];
  if (name !== undefined) refuseBesideIs(flags, filter);
  const folder = await bundleFolder(bundle, { onNote: terminal.note });
  const signature = await signatureOptions(requireSignature);
  const engine = await openQueried(folder, index, {
    ...(profile === undefined ? {} : { profile }),
    ...signature,
  });
  try {
    const inWords = readInWords(terminal, text, engine);
    if (inWords !== undefined || isPatternText(text) || csv === true || count === true) {
      const { mode, ...options } = flags;
      refuseOfPatterns({
        '--mode embedding': mode === 'embedding',
        '--is': name !== undefined,
        '--filter': filter !== undefined,
      });
      const pattern = inWords?.pattern ?? readQuestion(text, engine.vocabulary, bundle);
      const shown = { csv, json, count: count === true || inWords?.count === true, links, width };
      return { next, verdict: await matchText(terminal, engine, pattern, { ...options, ...shown }) };
    }
    const query = parseWithHint(text, engine.vocabulary, bundle);
    if (name !== undefined) {
      const { minDegree, at } = flags;
      const how = {
        ...(minDegree === undefined ? {} : { minDegree }),
        ...(at === undefined ? {} : { at }),
        json: json === true,
      };
      return { next, verdict: await judgeEntity(terminal, engine, { query, bundle, name }, how) };
    }
    const only =
      filter === undefined ? {} : { filter: { query: parseWithHint(filter, engine.vocabulary, bundle) } };
    // The engine refuses what the mode does not have.
    const { suggestions, ...others } = flags;
    const alone = suggestions === false ? { suggestions } : {};
    const answer = await engine.answer(query, { ...others, ...alone, ...only } as AnswerOptions);
    if (json) terminal.out(JSON.stringify({ query: formatQuery(query, engine.vocabulary), ...answer }));
    else {
      const general = answer.mode === 'sets' ? engine.warnings : [];
      for (const warning of [...general, ...answer.warnings]) terminal.note(`Note: ${warning}`);
      const shown = toldApart(answer, engine.vocabulary);
      const operands = operandTexts(query, engine.vocabulary);
      formatAnswers(shown, operands, { width: terminal.columns, ...flags }).forEach(terminal.out);
      if (flags.explain && shown.mode === 'sets')
        formatSupport([...shown.answers, ...shown.suggestions], terminal.columns).forEach(terminal.out);
    }
    return { next };
  } finally {
    await engine.close();
  }
}

/** Opens a bundle, with the index that finds candidates where one is named. */
async function openQueried(
  directory: string,
  address: string | undefined,
  options: BundleOptions,
): Promise<BundleEngine> {
  if (address === undefined)
    return openEngine({ source: folderSource(directory), sessions: nodeSessions(directory), ...options });
  const openIndex: OpenIndex = async ({ manifest, profileName: profile }) => {
    const { openEntityIndex } = await import('@fuzzqe/entity-index');
    return openEntityIndex(address, { manifest, profile, checkEvery: 0 });
  };
  return openIndexedEngine({ directory, openIndex, ...options });
}

/** Refuses what chooses among answers next to `--is`, which asks about one entity. */
function refuseBesideIs({ k, mode, exclude }: QueryFlags, filter: string | undefined): void {
  const given = [
    k !== undefined && '-k',
    mode === 'embedding' && '--mode embedding',
    exclude === 'known' && '--exclude known',
    filter !== undefined && '--filter',
  ].find((flag) => flag !== false);
  if (given === undefined) return;
  throw new FuzzError('usage', `${given}: expected none beside --is, which asks about one entity`, {
    hint: 'Leave one of them out.',
  });
}
