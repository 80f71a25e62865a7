import { describe, expect, it } from 'vitest';
import { describeSampled } from './data/query-files.ts';
import { reportPipeline } from './report-pipeline.ts';

const none = {
  ...{ train: [], valid: [], test: [], own: { valid: [], test: [] } },
  missing: { train: [], valid: [], test: [] },
} as const;

describe('the report of a pipeline', () => {
  const told = (missing: readonly '1p'[]): string => {
    const lines: string[] = [];
    const note = (line: string): void => {
      lines.push(line);
    };
    const terminal = { out: note, note, status: () => {}, columns: 80, live: false };
    const report = reportPipeline(terminal, { data: 'd', run: 'r', bundle: 'b' });
    report({
      kind: 'end',
      stage: 'sample',
      queries: { ...none, missing: { ...none.missing, train: missing } },
    });
    return lines.join('\n');
  };

  it('says why no training queries are sampled', () => {
    expect(told([])).toContain(
      'No training queries are sampled: the model learns from the facts themselves.',
    );
    expect(told(['1p'])).not.toContain('learns from the facts');
  });

  it('counts only parts that have queries', () => {
    expect(describeSampled(none, 1)).toEqual(['Sampled no queries (0 queries/s)']);
  });
});
