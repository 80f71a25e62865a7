import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { answerQuery, parseQueryText, type Query } from '@fuzzqe/core/query';
import { type Dataset, loadCountries, type QuerySets, queriesToJsonLines } from '@fuzzqe/data';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { expectParity, formatMatrix, runParity } from '@fuzzqe/parity';
import { folderSource, nodeSessions, startServer } from '@fuzzqe/serve';
import { openDevice, presets } from '@fuzzqe/train';
import type { DemoFlags } from '../commands/demo.ts';
import { questions } from '../demo/questions.ts';
import { type Comparison, compareModels } from '../evaluation/compare-models.ts';
import { formatComparison } from '../evaluation/format-comparison.ts';
import { openRun } from '../evaluation/open-models.ts';
import { type KeptEvaluation, keepEvaluation, keptEvaluations, toKeep } from '../runs/kept-evaluations.ts';
import { formatColumns } from '../terminal/columns.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { formatSeconds } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeDataset } from './data/describe.ts';
import { sampleWithProgress } from './data/query-files.ts';
import { exportRun, formatBytes } from './export.ts';
import { untilStopped } from './serve.ts';
import { trainWithProgress } from './train-with-progress.ts';

/** Does `fuzzqe demo`. */
export async function runDemo(terminal: Terminal, flags: DemoFlags): Promise<NextCommand> {
  const start = Date.now();
  const { training, queries: sizes } = presets['countries']!;
  const directory = join(flags.out, 'run');
  const bundle = join(flags.out, 'bundle');
  const heading = (text: string): void => terminal.out(`\n${text}`);

  await interruptible(terminal, async (signal) => {
    heading('1. The graph');
    const dataset = loadCountries();
    describeDataset(dataset).forEach(terminal.out);

    heading('2. Queries of the 14 structures');
    const { seed, ...perStructure } = sizes;
    const sets = await sampleWithProgress(terminal, dataset, { sizes: perStructure, seed }, signal);

    heading('3. Training');
    // The demo is for looking at: it starts anew every time.
    await rm(directory, { recursive: true, force: true });
    const config = { ...training, steps: flags.steps ?? training.steps };
    const { ended } = await trainWithProgress(terminal, {
      dataset,
      config,
      queries: sets,
      directory,
      runtime: openDevice('cpu', { threads: flags.threads }),
      threads: flags.threads,
      resume: false,
      signal,
    });
    if (ended === 'interrupted') {
      process.exitCode = 130;
      return;
    }

    heading('4. Filtered ranking of the answers that need a held-out fact');
    const comparison = await evaluateRun(terminal, {
      dataset,
      sets,
      directory,
      threads: flags.threads,
      signal,
    });
    terminal.out(formatComparison(comparison, 'text', terminal.columns));
    await keepEvaluation(directory, keptOf(dataset, sets, comparison));

    heading('5. Export and parity');
    const manifest = await exportRun({
      run: directory,
      dataset,
      valid: sets.valid,
      directory: bundle,
      name: dataset.name,
      metrics: await keptEvaluations(directory),
      seed: sizes.seed,
    });
    const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
    terminal.out(`${bundle}: ${Object.keys(manifest.files).length} files, ${formatBytes(bytes)}`);
    const matrix = await runParity({
      bundle,
      runtimes: ['node', 'web'],
      fresh: 2,
      trees: 10,
      seed: sizes.seed,
    });
    formatMatrix(matrix).forEach(terminal.out);
    expectParity(matrix);

    const engine = await openEngine({ source: folderSource(bundle), sessions: nodeSessions(bundle) });
    try {
      heading('6. Five questions');
      await askQuestions(terminal, engine, dataset);
      terminal.note(`\nDone after ${formatSeconds((Date.now() - start) / 1000)}.`);
    } finally {
      await engine.close();
    }
  });
  if (process.exitCode === 130) return ['demo'];
  if (flags.serve) await serveDemo(terminal, bundle, flags.port);
  return ['data', 'import', 'triples.tsv', '--out', 'data/mine'];
}

/** What is kept of the evaluation, as if the queries had been read from the file that they would be written to. */
function keptOf(dataset: Dataset, { test }: QuerySets, { columns }: Comparison): KeptEvaluation {
  const hash = createHash('sha256');
  for (const line of queriesToJsonLines(test)) hash.update(line);
  const count = test.reduce((sum, part) => sum + part.count, 0);
  const queries = { path: 'test.jsonl', sha256: hash.digest('hex'), count };
  const about = { data: dataset.name, split: 'test' } as const;
  return toKeep(about, queries, columns.at(-1)!.metrics, columns.slice(0, -1));
}

async function evaluateRun(
  terminal: Terminal,
  task: { dataset: Dataset; sets: QuerySets; directory: string; threads: number; signal: AbortSignal },
): Promise<Comparison> {
  const { dataset, sets, directory, threads, signal } = task;
  return compareModels(terminal, {
    dataset,
    split: 'test',
    queries: sets.test,
    models: [{ name: 'FuzzQE', open: () => openRun(directory, threads) }],
    signal,
  });
}

/** How many answers of each question are shown, and how many of those that nobody recorded. */
const shownAnswers = 6;

/** Prints each question with the best answers and what the graph says of them. */
async function askQuestions(terminal: Terminal, engine: Engine, dataset: Dataset): Promise<void> {
  const { full } = dataset.graphs();
  for (const { words, query: text } of questions) {
    const query: Query = parseQueryText(text, engine.vocabulary);
    const truth = answerQuery(full, query);
    const ranked = await engine.answer(query, { k: shownAnswers });
    const beyond = await engine.answer(query, { k: shownAnswers, exclude: 'known' });
    const seen = new Set(ranked.answers.map(({ id }) => id));
    const more = beyond.answers.filter(({ id }) => !seen.has(id));
    terminal.out(`\n${words}\n  ${text}`);
    const rows = [...ranked.answers, ...more].map(({ id, label, score, known }) => [
      `  ${score.toFixed(3)}`,
      label,
      verdict(known, truth.has(id)),
    ]);
    const lines = formatColumns([{}, { cut: true }, {}], rows, terminal.columns);
    lines.slice(0, ranked.answers.length).forEach(terminal.out);
    if (more.length > 0) terminal.out('  … and the best that are not recorded:');
    lines.slice(ranked.answers.length).forEach(terminal.out);
  }
}

/** What the graph says of an answer: with the facts that the model saw, and with all of them. */
function verdict(known: boolean, inAllFacts: boolean): string {
  if (known) return inAllFacts ? 'recorded' : 'recorded, but a held-out fact contradicts it';
  return inAllFacts ? 'recovered: a fact it needs was held out' : 'neither';
}

async function serveDemo(terminal: Terminal, bundle: string, port: number): Promise<void> {
  const engine = await openEngine({ source: folderSource(bundle), sessions: nodeSessions(bundle) });
  const server = await startServer({ engine, port });
  const body = JSON.stringify({ query: questions[0]!.query, k: 5 });
  terminal.out(`\n7. The API listens on ${server.url.replace('127.0.0.1', 'localhost')}. Try:\n`);
  terminal.out(`curl -s ${server.url}/v1/query -H 'content-type: application/json' -d '${body}'\n`);
  terminal.note('Press Ctrl-C to end.');
  await untilStopped(terminal, server);
}
