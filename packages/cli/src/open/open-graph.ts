import { fileURLToPath } from 'node:url';
import { FuzzError } from '@fuzzqe/core';
import {
  aSignal,
  aText,
  bundleForms,
  checkForms,
  checkOptions,
  type EngineOptions,
  javascriptSessions,
  type OptionForm,
  openEngine,
} from '@fuzzqe/engine';
import { askedPattern } from './asked-pattern.ts';
import type { Graph, OpenOptions } from './open.ts';

const { profile, verify, requireSignature } = bundleForms;
const forms: Readonly<Record<keyof OpenOptions, OptionForm>> = {
  ...{ profile, verify, requireSignature },
  signal: aSignal,
};

const bundleForm: OptionForm = [
  'a folder or the address of a bundle',
  (value) => value instanceof URL || (typeof value === 'string' && value !== ''),
];

/** Does `open`. */
export async function openGraph(bundle: string | URL, options: OpenOptions): Promise<Graph> {
  const hint = "Give the folder that `fuzzqe export` wrote, as in open('bundles/countries').";
  checkForms({ bundle: bundle ?? null }, { bundle: bundleForm }, 'usage', '$', hint);
  checkOptions(options, forms);
  const { signal, ...ofBundle } = options;
  throwIfAborted(signal);
  // Files that are read later are no part of the opening.
  const opening = new AbortController();
  const giveUp = (): void => opening.abort(signal?.reason);
  signal?.addEventListener('abort', giveUp);
  try {
    const engine = await openEngine({ ...ofBundle, ...(await placeOf(bundle, opening.signal)) });
    if (signal?.aborted === true) await engine.close();
    throwIfAborted(signal);
    return graphOf(engine);
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

/** Where a bundle is read from, and what computes there. */
async function placeOf(
  bundle: string | URL,
  signal: AbortSignal,
): Promise<Pick<EngineOptions, 'source' | 'sessions'>> {
  const address = `${bundle}`;
  if (/^https?:/i.test(address)) {
    const { fetchSource } = await import('@fuzzqe/edge');
    return { source: fetchSource(address, { signal }), sessions: javascriptSessions() };
  }
  const { bundleFolder, folderSource, nodeSessions } = await import('@fuzzqe/serve');
  const folder = await bundleFolder(/^file:/i.test(address) ? fileURLToPath(address) : address, { signal });
  return { source: folderSource(folder), sessions: nodeSessions(folder) };
}

function graphOf(engine: Graph['engine']): Graph {
  const graph: Graph = {
    engine,
    async ask(question, options = {}) {
      const hint = "Ask as in ask('project(borders, France)').";
      checkForms({ question: question ?? null }, { question: aText }, 'usage', '$', hint);
      const { pattern, count } = askedPattern(question, engine);
      return engine.match(pattern, count ? { count, ...options } : options);
    },
    explain: (question, options) => graph.ask(question, { ...options, explain: true }),
    close: () => engine.close(),
    [Symbol.asyncDispose]: () => engine.close(),
  };
  return graph;
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new FuzzError('interrupted', 'the opening of the bundle was given up', { cause: signal.reason });
}
