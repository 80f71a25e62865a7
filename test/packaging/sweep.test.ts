import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { openStore, type SweepStatus, sweepStatus } from '@fuzzqe/sweep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root, run } from './workspace.ts';

const scratch = mkdtempSync(join(tmpdir(), 'fuzzqe-sweep-'));
const at = (name: string): string => join(scratch, name);
const command = join(root, 'packages/cli/bin/fuzzqe.js');
const trials = 4;
const sweep = {
  ...{ data: 'data', config: 'small.json', trials },
  parameters: { 'optimiser.learningRate': { logUniform: [0.001, 0.02] } },
};

/** The command while it runs, and what it notes. */
interface Worker {
  readonly child: ChildProcess;
  readonly notes: () => string;
  readonly out: () => string;
  readonly ended: Promise<number | string>;
}

function start(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Worker {
  const child = spawn(file, args, {
    cwd: scratch,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [notes, out] = ['', ''];
  child.stdout!.setEncoding('utf8').on('data', (part: string) => {
    out += part;
  });
  child.stderr!.setEncoding('utf8').on('data', (part: string) => {
    notes += part;
  });
  const ended = new Promise<number | string>((resolve) =>
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  );
  return { child, notes: () => notes, out: () => out, ended };
}

const fuzzqe = (...args: readonly string[]): Worker => start(process.execPath, [command, ...args]);
const work = (store: string, ...more: readonly string[]): Worker =>
  fuzzqe('train', '--sweep', 'sweep.json', '--store', store, '--threads', '1', '--out', 'work', ...more);
/** What one ends with, and what it says. */
async function said(worker: Worker): Promise<{ code: number | string; notes: string; out: string }> {
  const code = await worker.ended;
  return { code, notes: worker.notes(), out: worker.out() };
}
/** By the built package: a process for each look takes a second. */
const statusOf = (store: string): Promise<SweepStatus> => sweepStatus(openStore(at(store)));

beforeAll(async () => {
  const small = {
    ...{ model: { dimension: 8, bases: 2 }, batch: { '1p': 16, '2p': 4 } },
    ...{ steps: 60, validation: { every: 20, patience: 1000, mode: 'embedding' } },
  };
  writeFileSync(at('small.json'), JSON.stringify(small));
  writeFileSync(at('sweep.json'), JSON.stringify(sweep));
  expect(await fuzzqe('data', 'countries', '--out', 'data').ended).toBe(0);
  const sampled = await said(
    fuzzqe('data', 'sample', 'data', '--train', '30', '--valid', '2', '--test', '2'),
  );
  expect(sampled.code, sampled.notes).toBe(0);
}, 300_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('processes that share a sweep', () => {
  it('run each trial once, and one goes on with what another was killed in', async () => {
    let store = '';
    let left: SweepStatus['trials'][number] | undefined;
    // The trial may end before the signal arrives; then another time will do.
    for (let attempt = 0; attempt < 10 && left?.state !== 'left'; attempt += 1) {
      store = `store-${attempt}`;
      const killed = work(store);
      killed.child.stderr!.on('data', () => {
        if (killed.notes().includes('step 20:')) killed.child.kill('SIGKILL');
      });
      await killed.ended;
      left = (await statusOf(store)).trials[0];
    }
    expect(left).toMatchObject({ state: process.platform === 'linux' ? 'left' : 'running' });
    const workers = await Promise.all([work(store), work(store)].map(said));
    for (const { code, notes } of workers) expect(code, notes).toBe(0);
    const begun = workers.flatMap(({ notes }) => [...notes.matchAll(/^Trial (\d+) of 4(, taken over)?/gm)]);
    expect(begun.map(([, trial, taken]) => `${trial}${taken ?? ''}`).sort()).toEqual([
      '0, taken over',
      '1',
      '2',
      '3',
    ]);
    const { trials: all, best } = await statusOf(store);
    expect(all.map(({ state, steps }) => [state, steps])).toEqual(all.map(() => ['finished', 60]));
    const kept = await said(fuzzqe('sweep', 'best', store, '--out', 'best', '--json'));
    expect(JSON.parse(kept.out)).toMatchObject({ trial: best!.trial, best: best!.best! });
    const exported = await said(
      fuzzqe('export', 'best', '--data', 'data', '--queries', '0', '--out', 'bundle'),
    );
    expect(exported.code, exported.notes).toBe(0);
    // The control: what has ended is not run again; and the command that tells it.
    expect((await said(work(store))).notes).toMatch(/all trials have ended/);
    const told = await said(fuzzqe('sweep', 'status', store, '--json'));
    expect((JSON.parse(told.out) as SweepStatus).best).toEqual(JSON.parse(JSON.stringify(best)));
  }, 600_000);
});

describe('the array of SLURM', () => {
  const script = join(root, 'examples/slurm/sweep.sbatch');

  it('runs the trial of its task, and no trial twice', async () => {
    const bin = at('bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'fuzzqe'), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`);
    chmodSync(join(bin, 'fuzzqe'), 0o755);
    const task = (id: string): Promise<Awaited<ReturnType<typeof said>>> =>
      said(
        start('bash', [script], {
          PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
          ...{ SWEEP: 'sweep.json', STORE: 'slurm', SLURM_ARRAY_TASK_ID: id, TMPDIR: at('') },
        }),
      );
    const { code, notes } = await task('3');
    expect(code, notes).toBe(0);
    expect((await statusOf('slurm')).trials.map(({ state }) => state)).toEqual([
      'free',
      'free',
      'free',
      'finished',
    ]);
    expect(await task('3')).toMatchObject({ code: 0, notes: expect.stringContaining('trial 3 has ended') });
  }, 300_000);

  it('has the signal before the end of its time sent to the shell, in whose place the command stands', () => {
    const text = readFileSync(script, 'utf8');
    // Without B: it goes to steps (srun) alone, and the script has none.
    expect(text).toMatch(/^#SBATCH --signal=B:TERM@\d+$/m);
    expect(text).toMatch(/^exec fuzzqe train /m);
    expect(text).not.toMatch(/^srun/m);
  });

  it('is a script that bash reads, and names what it lacks', async () => {
    expect(run('bash', ['-n', script], { program: true })).toMatchObject({ status: 0, stderr: '' });
    const { code, notes } = await said(start('bash', [script], { SWEEP: '', STORE: '' }));
    expect({ code, notes }).toMatchObject({
      code: 1,
      notes: expect.stringContaining('the file of the sweep'),
    });
  });
});

describe('the job of Kubernetes', () => {
  const documents = parseAllDocuments(readFileSync(join(root, 'examples/kubernetes-sweep/job.yaml'), 'utf8'));
  // The two documents that the file has; what is in them is compared below.
  const [config, job] = documents.map((each): unknown => each.toJS()) as [
    { data: { 'sweep.json': string }; metadata: { name: string } },
    { kind: string; spec: JobSpec },
  ];
  interface JobSpec {
    readonly completionMode: string;
    readonly completions: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          {
            readonly args: readonly string[];
            readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
          },
        ];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  }
  const { containers, volumes } = job.spec.template.spec;
  const [{ args, volumeMounts }] = containers;

  it('has a pod for each trial of its sweep, which the command reads', async () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    // Without the policy, evictions would use up the failures that a trial may have.
    const onPodConditions = [{ type: 'DisruptionTarget', status: 'True' }];
    const podFailurePolicy = { rules: [{ action: 'Ignore', onPodConditions }] };
    expect(job).toMatchObject({ kind: 'Job', spec: { completionMode: 'Indexed', podFailurePolicy } });
    const file = config.data['sweep.json'];
    expect(job.spec.completions).toBe((JSON.parse(file) as { trials: number }).trials);
    writeFileSync(at('kubernetes.json'), file);
    const beyond = ['--sweep', 'kubernetes.json', '--store', 'kubernetes', '--trial', '20'];
    const { code, notes } = await said(fuzzqe('train', 'data', ...beyond));
    expect(notes).toMatch(/trial: expected 0 to 19, got 20/);
    expect(code).toBe(3);
  });

  it('calls the command with options that it has, and paths that are mounted', async () => {
    const { out } = await said(fuzzqe('train', '--help'));
    const flags = args.filter((each) => each.startsWith('--'));
    expect(flags.filter((flag) => !out.includes(`${flag} <`))).toEqual([]);
    expect(args).toContain('$(JOB_COMPLETION_INDEX)');
    const places = volumeMounts.map(({ mountPath }) => mountPath);
    const paths = args.filter((each) => each.startsWith('/'));
    expect(paths.filter((path) => !places.some((place) => path.startsWith(place)))).toEqual([]);
    expect(volumeMounts.map(({ name }) => name).sort()).toEqual(volumes.map(({ name }) => name).sort());
  });
});
