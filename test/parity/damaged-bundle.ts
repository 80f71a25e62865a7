import type { Golden } from '@fuzzqe/bundle';
import { structureNames } from '@fuzzqe/core/query';
import { openEngine, planKinds } from '@fuzzqe/engine';
import type { ParityCell } from '@fuzzqe/parity';
import { compareGolden } from '@fuzzqe/parity/testing';
import { onRuntime, type RuntimeName } from '../fixtures/runtimes.ts';

/** The parity of a bundle that nobody has verified. */
export async function parityOf(runtime: RuntimeName, directory: string, golden: Golden): Promise<ParityCell> {
  const engine = await openEngine({ ...onRuntime(runtime, directory), verify: false });
  const cell = await compareGolden(engine, golden);
  await engine.close();
  return cell;
}

/** The first failure of each structure in each way, as `2in by structure: embedding at …`. */
export function failuresOf({ failures }: ParityCell): string[] {
  return structureNames.flatMap((structure) =>
    [...planKinds, 'sets'].flatMap((by) => {
      const first = failures.find((each) => each.structure === structure && each.by === by);
      return first === undefined ? [] : [`${structure} by ${by}: ${first.message}`];
    }),
  );
}
