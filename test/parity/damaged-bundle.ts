import type { Golden } from '@fuzzqe/core/bundle';
import { checkParity, openEngine, type ParityReport } from '@fuzzqe/engine';
import { onRuntime, type RuntimeName } from '../fixtures/runtimes.ts';

/** The parity of a bundle that nobody has verified. */
export async function parityOf(
  runtime: RuntimeName,
  directory: string,
  golden: Golden,
): Promise<ParityReport> {
  const engine = await openEngine({ ...onRuntime(runtime, directory), verify: false });
  const report = await checkParity(engine, golden);
  await engine.close();
  return report;
}

/** The failed rows, as `2in by structure: case 0: embedding at …`. */
export function failuresOf({ rows }: ParityReport): string[] {
  return rows
    .filter(({ passed }) => !passed)
    .map(({ structure, by, failure }) => `${structure} by ${by}: ${failure}`);
}
