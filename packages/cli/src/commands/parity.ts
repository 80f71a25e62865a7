import { FuzzError, readGolden } from '@fuzzqe/core';
import { webSessions } from '@fuzzqe/edge';
import { checkParity, openEngine, type ParityReport, type SessionFactory } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import type { Command } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import { namesOutOf } from './options.ts';

/** The runtimes that answers can be compared on. */
export const parityRuntimes = ['node', 'web'] as const;
export type ParityRuntime = (typeof parityRuntimes)[number];

/** Adds `fuzzqe parity`. */
export function addParityCommand(program: Command, terminal: Terminal): void {
  program
    .command('parity <bundle>')
    .description("compare each runtime's answers with the float64 reference in the bundle")
    .option('--runtimes <names>', `which: ${parityRuntimes.join(', ')}`, parityRuntimes.join(','))
    .option('--json', 'print the comparison as JSON')
    .addHelpText('after', '\nExample:\n  fuzzqe parity bundles/countries --runtimes node,web')
    .action(async (bundle: string, flags: { runtimes: string; json?: boolean }) => {
      const reports = await parityOf(bundle, namesOutOf(flags.runtimes, parityRuntimes, 'runtime'));
      if (flags.json) terminal.out(JSON.stringify(reports));
      else reports.flatMap(describeParity).forEach(terminal.out);
      expectParity(reports, bundle);
    });
}

/** Compares a bundle's answers on each runtime with its golden cases. */
export async function parityOf(bundle: string, runtimes: readonly ParityRuntime[]): Promise<ParityReport[]> {
  const source = folderSource(bundle);
  const reports: ParityReport[] = [];
  for (const runtime of runtimes) {
    const engine = await openEngine({ source, sessions: await sessionsOf(runtime, bundle) });
    try {
      reports.push(await checkParity(engine, await readGolden(source, engine.manifest)));
    } finally {
      await engine.close();
    }
  }
  return reports;
}

async function sessionsOf(runtime: ParityRuntime, bundle: string): Promise<SessionFactory> {
  if (runtime === 'node') return nodeSessions(bundle);
  // Loaded only where it is asked for: its WebAssembly takes a while to start.
  const ort = await import('onnxruntime-web');
  return webSessions({ source: folderSource(bundle), ort });
}

/** One line a runtime, and one for each row that failed. */
export function describeParity(report: ParityReport): string[] {
  const worst = (of: 'embedding' | 'score'): string =>
    Math.max(...report.rows.map((row) => row[of].maxAbsolute)).toExponential(1);
  const verdict = report.passed ? 'equal' : 'DIFFERENT';
  const failures = report.rows
    .filter((row) => !row.passed)
    .map((row) => `  ${row.structure} by ${row.by}: ${row.failure ?? 'failed'}`);
  return [
    `${report.runtime}, ${report.profile}: ${verdict}; worst difference ${worst('embedding')} in embeddings, ${worst('score')} in scores`,
    ...failures,
  ];
}

/** Throws 'parity' unless every row passed. */
export function expectParity(reports: readonly ParityReport[], bundle: string): void {
  const failed = reports.filter(({ passed }) => !passed);
  if (failed.length > 0)
    throw new FuzzError('parity', `answers differ on ${failed.map(({ runtime }) => runtime).join(', ')}`, {
      path: bundle,
      hint: 'export the bundle again; if it still differs, the runtime computes something else than the reference',
    });
}
