import { rm } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import { answerQuery, parseQueryText, type Query } from '@fuzzqe/core/query';
import { type Dataset, loadCountries, readDataset } from '@fuzzqe/data';
import { type AnswerState, type Engine, openEngine, stateWords } from '@fuzzqe/engine';
import { pathExists } from '@fuzzqe/files';
import { type PipelineFolders, pipeline, pipelineFolders } from '@fuzzqe/pipeline';
import { folderSource, nodeSessions, startServer } from '@fuzzqe/serve';
import { presets } from '@fuzzqe/train';
import { questions } from '../demo/questions.ts';
import { formatColumns } from '../terminal/columns.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { formatSeconds } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { reportPipeline } from './report-pipeline.ts';
import { untilStopped } from './serve.ts';
import { servedParts } from './served-parts.ts';

/** What `fuzzqe demo` was told. */
export interface DemoFlags {
  readonly out: string;
  readonly steps?: number;
  readonly threads: number;
  readonly port: number;
  readonly serve: boolean;
}

/** Does `fuzzqe demo`. */
export async function runDemo(terminal: Terminal, flags: DemoFlags): Promise<NextCommand> {
  const start = Date.now();
  const { training, queries } = presets['countries-links'];
  const folders = pipelineFolders(flags.out);
  const countries = loadCountries();
  await removeEarlierDemo(folders, countries);
  await interruptible(terminal, async (signal) => {
    const { engine, dataset } = await pipeline({
      triples: countries,
      out: flags.out,
      config: { ...training, steps: flags.steps ?? training.steps },
      queries,
      threads: flags.threads,
      // Held out facts that come back show what the model does.
      facts: 'train',
      onEvent: reportPipeline(terminal, folders),
      signal,
    });
    try {
      terminal.out('\n6. Five questions');
      await askQuestions(terminal, engine, dataset);
      terminal.note(`\nDone after ${formatSeconds((Date.now() - start) / 1000)}.`);
    } finally {
      await engine.close();
    }
  });
  if (flags.serve) await serveDemo(terminal, folders.bundle, flags.port);
  return ['run', 'triples.tsv'];
}

/**
 * Removes what an earlier demo made, since the demo is for looking at and starts anew every time.
 *
 * @throws FuzzError `usage`: a folder of that name is of somebody else, and nothing was removed.
 */
async function removeEarlierDemo({ data, run }: PipelineFolders, { name }: Dataset): Promise<void> {
  const found = await readDataset(data).catch(() => undefined);
  // The data goes last, so that the run of a demo that was stopped here lies next to it and is known again.
  for (const folder of [run, data]) {
    if (!(await pathExists(folder))) continue;
    if (found?.name !== name)
      throw new FuzzError('usage', 'folder: expected none, or that of an earlier demo, got another one', {
        path: folder,
        hint: 'Choose another place with --out; the demo would remove what stands there.',
      });
    await rm(folder, { recursive: true });
  }
}

/** How many answers of each question are shown, and how many of those that nobody recorded. */
const shownAnswers = 6;

/** Prints each question with the best answers and what the graph says of them. */
async function askQuestions(terminal: Terminal, engine: Engine, dataset: Dataset): Promise<void> {
  const { full } = dataset.graphs();
  for (const { words, query: text } of questions) {
    const query: Query = parseQueryText(text, engine.vocabulary);
    const truth = answerQuery(full, query);
    const { answers } = await engine.answer(query, { k: shownAnswers, suggestions: false });
    const beyond = await engine.answer(query, { k: shownAnswers, exclude: 'known' });
    const seen = new Set(answers.map(({ id }) => id));
    const more = [...beyond.answers, ...beyond.suggestions].filter(({ id }) => !seen.has(id));
    terminal.out(`\n${words}\n  ${text}`);
    const rows = [...answers, ...more].map(({ id, label, degree, state }) => [
      `  ${degree.toFixed(3)}`,
      label,
      verdict(state, truth.has(id)),
    ]);
    const lines = formatColumns([{}, { cut: true }, {}], rows, terminal.columns);
    lines.slice(0, answers.length).forEach(terminal.out);
    if (more.length > 0) terminal.out('  … and the best that are not recorded:');
    lines.slice(answers.length).forEach(terminal.out);
  }
}

/** What the graph says of an answer: with the facts that the model saw, and with all of them. */
function verdict(state: AnswerState, inAllFacts: boolean): string {
  const words = stateWords[state];
  if (state === 'recorded' || state === 'doubted')
    return inAllFacts ? words : `${words}; a held-out fact contradicts it`;
  return inAllFacts ? `${words}; right: a fact it needs was held out` : `${words}; in no facts`;
}

async function serveDemo(terminal: Terminal, bundle: string, port: number): Promise<void> {
  const engine = await openEngine({ source: folderSource(bundle), sessions: nodeSessions(bundle) });
  const server = await startServer({ models: engine, port, api: { mount: await servedParts() } });
  const body = JSON.stringify({ query: questions[0]!.query, k: 5 });
  terminal.out(`\n7. The API listens on ${server.url.replace('127.0.0.1', 'localhost')}. Try:\n`);
  terminal.out(`curl -s ${server.url}/v1/query -H 'content-type: application/json' -d '${body}'\n`);
  terminal.note('Press Ctrl-C to end.');
  await untilStopped(terminal, async () => server);
}
