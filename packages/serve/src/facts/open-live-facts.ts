import { FuzzError } from '@fuzzqe/core';
import { openFactLog } from '@fuzzqe/facts';
import type { AccessKeys } from '../operations/access-keys.ts';
import { isLoopback } from '../operations/caller-check.ts';
import type { Log } from '../operations/log.ts';
import { flagOf, type Settings } from '../settings/settings-table.ts';
import { createLiveFacts, type LiveFacts } from './live-facts.ts';

/**
 * The facts that `settings.facts` names; undefined without that setting.
 *
 * @param served how many bundles and engines are served.
 * @throws FuzzError `usage`: more than one bundle. As `openFactLog`.
 */
export async function openLiveFacts(
  { facts: folder }: Pick<Settings, 'facts'>,
  served: number,
  log: Pick<Log, 'warn'>,
): Promise<LiveFacts | undefined> {
  if (folder === undefined) return undefined;
  expectOneBundle(served);
  return createLiveFacts(await openFactLog(folder, { log: (line) => log.warn({ facts: folder }, line) }));
}

/** Refuses facts with more than one bundle: a fact is of one graph. Throws: `usage`. */
export function expectOneBundle(served: number): void {
  if (served === 1) return;
  throw new FuzzError('usage', `${flagOf('facts')}: expected one bundle, got ${served}`, {
    path: flagOf('facts'),
    hint: 'Serve each bundle with facts by a server of its own.',
  });
}

/** What a caller needs to write, for people; undefined for a caller who may. */
export function writerRefusal(
  caller: unknown,
  keys: AccessKeys | undefined,
  { host, cors }: Pick<Settings, 'host' | 'cors'>,
): string | undefined {
  if (keys !== undefined)
    return typeof caller === 'string' && keys.mayWrite(caller)
      ? undefined
      : 'Ask with a key whose line in the file of keys ends in the word write: fuzzqe key NAME --write makes one.';
  if (!isLoopback(host))
    return `Without keys, only a server on 127.0.0.1 takes writes: set ${flagOf('keys')}.`;
  // Any page that a browser on this machine shows could write.
  return cors?.includes('*')
    ? `With ${flagOf('cors')} *, only keys may write: set ${flagOf('keys')}.`
    : undefined;
}
