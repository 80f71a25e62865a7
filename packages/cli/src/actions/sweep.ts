import { basename, resolve } from 'node:path';
import { openStore, type SweepStatus, sweepStatus, type TrialStatus, writeBestTrial } from '@fuzzqe/sweep';
import { formatColumns } from '../terminal/columns.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Does `fuzzqe sweep status`. */
export async function showSweep(
  terminal: Terminal,
  store: string,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const status = await sweepStatus(openStore(store));
  if (json) {
    const { digest, file, data } = status.sweep;
    const { trials, best = null } = status;
    terminal.out(JSON.stringify({ digest, objective: file.objective, data, trials, best }));
    return;
  }
  formatStatus(status, terminal.columns).forEach(terminal.out);
  terminal.note(describeProgress(status));
}

/** A line for each trial. */
export function formatStatus({ sweep, trials, best }: SweepStatus, width: number): string[] {
  const paths = Object.keys(sweep.file.parameters);
  const columns = [
    { title: '' },
    { title: 'trial', right: true },
    ...paths.map((path) => ({ title: path.split('.').at(-1)!, right: true, cut: true })),
    { title: 'state' },
    { title: `${figureOf(sweep)} %`, right: true },
    { title: 'at step', right: true },
    { title: 'steps', right: true },
    { title: '', cut: true },
  ];
  const rows = trials.map((each) => [
    each.trial === best?.trial ? '*' : '',
    String(each.trial),
    ...paths.map((path) => shownValue(each.parameters[path])),
    each.state,
    each.best === undefined ? '' : (100 * each.best.value).toFixed(2),
    each.best === undefined ? '' : String(each.best.step),
    each.steps === 0 ? '' : String(each.steps),
    each.error ?? (each.state === 'running' ? (each.host ?? '') : ''),
  ]);
  return formatColumns(columns, rows, width);
}

/** What trials are compared by. */
function figureOf({ file }: SweepStatus['sweep']): string {
  const { metric } = file.objective;
  return metric === 'mrr' ? 'MRR' : `${metric} MRR`;
}

/** `12 of 20 trials ended, 5 of them pruned; 2 run; best: trial 7, MRR 24.1 %`. */
export function describeProgress({ sweep, trials, best }: SweepStatus): string {
  const count = (...states: readonly TrialStatus['state'][]): number =>
    trials.filter(({ state }) => states.includes(state)).length;
  const ended = trials.length - count('free', 'running', 'left');
  const parts = [
    `${ended} of ${trials.length} trials ended${count('pruned') > 0 ? `, ${count('pruned')} of them pruned` : ''}${count('failed') > 0 ? `, ${count('failed')} failed` : ''}`,
    ...(count('running') > 0 ? [`${count('running')} running`] : []),
    ...(count('left') > 0 ? [`${count('left')} to be taken over`] : []),
    ...(best?.best === undefined
      ? []
      : [
          `best: trial ${best.trial}, ${figureOf(sweep)} ${(100 * best.best.value).toFixed(2)} % at step ${best.best.step}`,
        ]),
  ];
  return parts.join('; ');
}

/** Does `fuzzqe sweep best`. */
export async function keepBestTrial(
  terminal: Terminal,
  store: string,
  { out, json = false }: { readonly out: string; readonly json?: boolean },
): Promise<NextCommand> {
  const { config, ...best } = await writeBestTrial(openStore(store), out);
  if (json) terminal.out(JSON.stringify({ ...best, directory: out, config }));
  else {
    const parameters = Object.entries(best.parameters).map(
      ([path, value]) => `${path} = ${shownValue(value)}`,
    );
    terminal.out(`Trial ${best.trial}: ${parameters.join(', ')}`);
    terminal.note(`Wrote its run and config.json to ${out}`);
  }
  return ['export', out, '--data', 'DATA', '--out', `bundles/${basename(resolve(out))}`];
}

function shownValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
