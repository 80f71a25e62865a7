import { checkLaws, type LawFinding, type LawReport } from '@fuzzqe/parity';
import { signatureOptions } from '../options/read-key.ts';
import { formatColumns } from '../terminal/columns.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import { createProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { textWidth } from '../terminal/text-width.ts';

/** What `fuzzqe laws` was told. */
export interface LawsFlags {
  readonly profile?: string;
  readonly choices: number;
  readonly seed: number;
  /** A file. */
  readonly requireSignature?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/** Does `fuzzqe laws`. */
export async function showLaws(terminal: Terminal, bundle: string, flags: LawsFlags): Promise<NextCommand> {
  const { choices, seed, profile } = flags;
  const progress = createProgress(terminal, 'Trying', 'laws');
  const signature = await signatureOptions(flags.requireSignature);
  const report = await interruptible(terminal, (signal) =>
    checkLaws({
      ...{ bundle, choices, seed, signal, onProgress: progress.update },
      ...signature,
      ...(profile === undefined ? {} : { profile }),
    }),
  );
  progress.finish(
    `Tried ${report.laws.length} laws, each on ${choices} ${choices === 1 ? 'draw' : 'draws'} of queries`,
  );
  if (flags.json) terminal.out(JSON.stringify(report));
  else formatLaws(report, flags.markdown ? 'markdown' : 'text').forEach(terminal.out);
  return ['parity', bundle];
}

/** The lines of a table with a row for each law, and a counter-example for each law that a mode breaks. */
export function formatLaws(
  { bundle, profile, logic, negationLambda, laws }: LawReport,
  form: 'text' | 'markdown',
): string[] {
  const modes = ['embedding', 'sets'] as const;
  const head = ['', 'law', 'statement', ...modes];
  const rows = laws.map((law) => [
    law.numeral,
    law.name,
    law.statement,
    ...modes.map((mode) => verdictOf(law[mode])),
  ]);
  const examples = laws.flatMap((law) =>
    modes.flatMap((mode) => {
      const broken = law[mode]?.broken;
      if (broken === undefined) return [];
      const queries = broken.queries.map((query, i) => `  ${'abc'[i]} = ${query}`);
      const [left, right] = broken.sides;
      const sides = `  ${broken.entity}: ${left} has ${broken.left}, ${right} has ${broken.right}`;
      return ['', `${law.numeral} in mode ${mode}: ${law.statement} fails`, ...queries, sides];
    }),
  );
  const negation = (negationLambda ?? 0) === 0 ? '' : `, negation with λ = ${negationLambda}`;
  return [
    ...(form === 'markdown' ? markdownTable(head, rows) : textTable(head, rows)),
    ...examples,
    '',
    `${bundle}, ${profile}: ${logic} logic${negation}`,
  ];
}

function verdictOf(finding: LawFinding | undefined): string {
  if (finding === undefined) return '–';
  return finding.broken === undefined ? 'not broken' : 'broken';
}

function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const [titles = '', ...lines] = formatColumns(
    head.map((title) => ({ title })),
    rows,
    Number.POSITIVE_INFINITY,
  );
  return [titles, '─'.repeat(textWidth(lines[0] ?? titles)), ...lines];
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
