// node bench/sweep.mjs [workers]: a sweep on Countries by so many processes (1), beside its base: validation and test MRR, steps that pruning saved.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const workers = Number(process.argv[2] ?? 1);
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-sweep-'));
const at = (name) => join(folder, name);
const sweep = JSON.parse(readFileSync(join(root, 'bench/sweeps/countries.json'), 'utf8'));

/** Runs the command, and gives what it prints. */
const fuzzqe = (...args) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'packages/cli/bin/fuzzqe.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, notes] = ['', ''];
    child.stdout.on('data', (part) => {
      out += part;
    });
    child.stderr.on('data', (part) => {
      notes += part;
    });
    child.on('close', (code) =>
      code === 0 ? resolve(out) : reject(new Error(`${args.join(' ')}: ${notes}`)),
    );
  });
const train = (file, store) =>
  fuzzqe('train', at('data'), '--sweep', file, '--store', at(store), '--threads', '1');
/** The best trial of a store: its validation, and both groups of the test by embeddings. */
const best = async (store) => {
  const run = at(`${store}-best`);
  const found = JSON.parse(await fuzzqe('sweep', 'best', at(store), '--out', run, '--json'));
  const flags = ['--data', at('data'), '--no-baselines', '--mode', 'embedding', '--json'];
  const [{ metrics }] = JSON.parse(await fuzzqe('evaluate', run, ...flags)).columns;
  const mrr = Object.entries(metrics.structures).map(([name, each]) => ({ name, mrr: each.mrr }));
  const mean = (isNegated) => {
    const some = mrr.filter(({ name }) => /n/.test(name) === isNegated);
    return some.reduce((sum, each) => sum + each.mrr, 0) / some.length;
  };
  return { ...found, without: mean(false), with: mean(true) };
};
const percent = (x) => `${(100 * x).toFixed(1)} %`;

try {
  await fuzzqe('data', 'countries', '--out', at('data'));
  await fuzzqe('data', 'sample', at('data'));
  const { pruning: _, ...unpruned } = sweep;
  const alone = {
    ...unpruned,
    strategy: 'grid',
    trials: 1,
    parameters: { 'validation.every': { choices: [250] } },
  };
  writeFileSync(at('base.json'), JSON.stringify(alone));
  writeFileSync(at('sweep.json'), JSON.stringify(sweep));
  await train(at('base.json'), 'base');
  const begun = performance.now();
  await Promise.all(Array.from({ length: workers }, () => train(at('sweep.json'), 'sweep')));
  const seconds = (performance.now() - begun) / 1000;
  const { trials } = JSON.parse(await fuzzqe('sweep', 'status', at('sweep'), '--json'));
  const steps = trials.reduce((sum, each) => sum + each.steps, 0);
  const pruned = trials.filter(({ state }) => state === 'pruned').length;
  const [before, after] = [await best('base'), await best('sweep')];
  const line = (name, { best: { value }, without, with: negated }) =>
    `${name}: validation MRR ${percent(value)}, test ${percent(without)} without and ${percent(negated)} with negation`;
  process.stdout.write(
    [
      line('base', before),
      line(`trial ${after.trial}`, after),
      JSON.stringify(after.parameters),
      `${trials.length} trials, ${pruned} pruned, ${steps} of ${trials.length * sweep.budget.steps} steps, ${seconds.toFixed(0)} s by ${workers} processes`,
      '',
    ].join('\n'),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
