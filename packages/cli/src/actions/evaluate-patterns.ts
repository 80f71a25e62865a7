import { FuzzError } from '@fuzzqe/core';
import { meanMetrics } from '@fuzzqe/core/ranking';
import { type Dataset, type PatternFile, somePatterns } from '@fuzzqe/data';
import { evaluatePatterns } from '@fuzzqe/train';
import { formatPatterns, type PatternColumn } from '../evaluation/format-patterns.ts';
import { openEvaluated } from '../evaluation/open-evaluated.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { EvaluateFlags } from './evaluate.ts';

/** Does `fuzzqe evaluate` on patterns, which mode sets alone answers. */
export async function evaluatePatternFile(
  terminal: Terminal,
  model: string,
  flags: EvaluateFlags,
  { dataset, file }: { readonly dataset: Dataset; readonly file: PatternFile },
): Promise<NextCommand> {
  const { path, part, sha256, set } = file;
  if (flags.mode !== 'both' && flags.mode !== 'sets')
    throw new FuzzError('usage', `patterns: expected --mode sets, got ${flags.mode}`, {
      path,
      hint: 'Other modes answer trees alone: leave --mode out.',
    });
  if (flags.by !== undefined)
    throw new FuzzError('usage', `patterns: expected no --by ${flags.by}, got it`, {
      path,
      hint: 'Figures by relation or by half-links are those of queries.',
    });
  if (flags.published !== undefined && flags.published !== 'none')
    throw new FuzzError('usage', `patterns: expected no --published ${flags.published}, got it`, {
      path,
      hint: 'Published figures are kept for sets of trees alone: leave --published out.',
    });
  const patterns = flags.each === undefined ? file.patterns : somePatterns(file.patterns, flags.each);
  const models = await openEvaluated(terminal, model, { ...flags, dataset, split: part, modes: ['sets'] });
  return interruptible(terminal, async (signal) => {
    const show = createNamedProgress(terminal);
    const columns: PatternColumn[] = [];
    for (const { name, open } of models) {
      const { match, close } = await open();
      try {
        const types = await evaluatePatterns({
          patterns,
          // Mode sets has it.
          rank: match!,
          entityCount: dataset.vocabulary.entityCount,
          onProgress: (done, total) => show(`Evaluating ${name}`, 'patterns', done, total),
          signal,
        });
        columns.push({ name, types, mean: meanMetrics(Object.values(types)) });
      } finally {
        await close();
      }
    }
    terminal.status('');
    const count = patterns.length;
    if (flags.json) {
      const queries = { path, sha256, count, ...(set === undefined ? {} : { set }) };
      terminal.out(JSON.stringify({ data: dataset.name, split: part, queries, model, columns }));
    } else {
      const form = flags.markdown ? 'markdown' : 'text';
      terminal.out(formatPatterns(columns, form, terminal.columns));
      const of = count < file.patterns.length ? `of ${file.patterns.length} ` : '';
      terminal.out(`\n${dataset.name}, ${part}: ${count} ${of}patterns in ${path},\nsha256 ${sha256}`);
    }
    return ['evaluate', model, '--data', flags.data];
  });
}
