import { withoutSecrets } from '@fuzzqe/core';
import { openEngine } from '@fuzzqe/engine';
import { pushIndex } from '@fuzzqe/entity-index';
import { bundleFolder, folderSource, nodeSessions } from '@fuzzqe/serve';
import { interruptible } from '../../terminal/interrupt.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import { createProgress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** What `fuzzqe index push` was told. */
export interface PushFlags {
  readonly to: string;
  readonly profile?: string;
  readonly batch: number;
  readonly replace?: boolean;
  readonly json?: boolean;
}

/** Does `fuzzqe index push`. */
export async function pushAt(terminal: Terminal, bundle: string, flags: PushFlags): Promise<NextCommand> {
  const { to, profile, batch, replace = false, json } = flags;
  const folder = await bundleFolder(bundle, { onNote: terminal.note });
  const engine = await openEngine({
    source: folderSource(folder),
    sessions: nodeSessions(folder),
    plan: 'operators',
    ...(profile === undefined ? {} : { profile }),
  });
  const progress = createProgress(terminal, 'Pushing', 'entities');
  let isBuilding = false;
  const building = createProgress(terminal, 'Building', 'entities');
  try {
    const { name, rows, written } = await interruptible(terminal, (signal) =>
      pushIndex(engine, to, {
        batch,
        replace,
        signal,
        onProgress(step, done, total) {
          if (step === 'rows') progress.update(done, total);
          else if (isBuilding) building.update(done, total);
          else progress.finish(`${total} entities are there; building what finds them`);
          // It is told again how far it is while it has taken in none.
          if (step === 'index') isBuilding = true;
        },
      }),
    );
    if (json) terminal.out(JSON.stringify({ index: name, rows, written }));
    else if (written === 0)
      progress.finish(`All ${rows} entities of ${engine.manifest.name} were there: ${name}`);
    else progress.finish(`${written} of ${rows} entities of ${engine.manifest.name} written: ${name}`);
  } finally {
    await engine.close();
  }
  return ['serve', bundle, '--index', withoutSecrets(to)];
}
