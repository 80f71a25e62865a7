import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { Bun } = globalThis as { readonly Bun?: { gc(force: boolean): void } };

/** Collects garbage a few times, in turns of the event loop, so that what nothing holds any more is gone: on V8, and on Bun. */
export async function collectGarbage(): Promise<void> {
  for (let i = 0; i < 4; i += 1) {
    await wait(0);
    collect();
  }
}

function collect(): void {
  if (Bun !== undefined) {
    Bun.gc(true);
    return;
  }
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)(); // what that flag names
}
