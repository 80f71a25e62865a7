import { FuzzError } from '@fuzzqe/core';
import { countQueries, type Dataset, type QueryFile, someQueries } from '@fuzzqe/data';
import { type DegreesReports, evaluateDegrees } from '@fuzzqe/pipeline';
import { formatDegrees } from '../evaluation/format-degrees.ts';
import { openEvaluated } from '../evaluation/open-evaluated.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { EvaluateFlags } from './evaluate.ts';

/** Does `fuzzqe evaluate` on unselected queries: degrees of mode sets against what held-out facts confirm. */
export async function evaluateDegreesOn(
  terminal: Terminal,
  model: string,
  flags: EvaluateFlags,
  { dataset, file }: { readonly dataset: Dataset; readonly file: QueryFile },
): Promise<NextCommand> {
  const { path, sha256, set } = file;
  const part = file.part === 'valid' ? 'valid' : 'test';
  expectDegrees(flags, path);
  const { each } = flags;
  const asked = each === undefined ? file.queries : file.queries.map((some) => someQueries(some, each));
  const models = await openEvaluated(terminal, model, { ...flags, dataset, split: part, modes: ['sets'] });
  return interruptible(terminal, async (signal) => {
    const show = createNamedProgress(terminal);
    const columns: ({ readonly name: string } & DegreesReports)[] = [];
    for (const { name, open } of models) {
      const { score, close } = await open();
      try {
        const reports = await evaluateDegrees({
          ...{ queries: asked, score, entityCount: dataset.vocabulary.entityCount, signal },
          onProgress: (done, total) => show(`Judging ${name}`, 'queries', done, total),
        });
        columns.push({ name, ...reports });
      } finally {
        await close();
      }
    }
    terminal.status('');
    const count = countQueries(asked);
    if (flags.json) {
      const queries = { path, sha256, count, ...(set === undefined ? {} : { set }) };
      terminal.out(JSON.stringify({ data: dataset.name, split: part, queries, model, columns }));
      return ['evaluate', model, '--data', flags.data];
    }
    for (const { name, ...reports } of columns)
      for (const line of formatDegrees(name, reports, flags.markdown ? 'markdown' : 'text', terminal.columns))
        terminal.out(line);
    terminal.out(`\n${dataset.name}, ${part}, unselected: ${count} queries in ${path},\nsha256 ${sha256}`);
    if (part === 'valid')
      terminal.out('\nValidation facts fitted the weights of degrees: only test queries judge them fairly.');
    return ['evaluate', model, '--data', flags.data];
  });
}

/** Refuses options that have no meaning for degrees. Throws FuzzError `usage`. */
function expectDegrees({ mode, by, published }: EvaluateFlags, path: string): void {
  const refused = [
    mode === 'both' || mode === 'sets' ? [] : [`--mode ${mode}`, 'other modes are not judged'],
    by === undefined ? [] : [`--by ${by}`, 'it tells figures of ranked answers apart'],
    published === undefined || published === 'none'
      ? []
      : [`--published ${published}`, 'papers print figures of ranked answers'],
  ].find(([option]) => option !== undefined);
  if (refused === undefined) return;
  const [option, why] = refused;
  throw new FuzzError('usage', `unselected queries: expected no ${option}, got it`, {
    path,
    hint: `Unselected queries judge the degrees of mode sets, and ${why}: leave ${option} out.`,
  });
}
