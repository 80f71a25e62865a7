import { FuzzError, withoutSecrets } from '@fuzzqe/core';
import { type FactStore, openFacts, openFollowedFacts } from '@fuzzqe/facts';
import type { AccessKeys } from '../access/access-keys.ts';
import { isLoopback } from '../access/caller-check.ts';
import { flagOf, type Settings } from '../settings/settings-table.ts';
import type { Log } from '../telemetry/log.ts';
import { createLiveFacts, type LiveFacts } from './live-facts.ts';

/** What facts are opened for. */
export interface FactsOptions {
  /** How many bundles and engines are served. */
  readonly served: number;
  /** A key of the server that is followed. */
  readonly key: string | undefined;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/**
 * The facts that `settings.facts` names; undefined without that setting.
 *
 * @throws FuzzError `usage`: more than one bundle. As `openFacts` and `openFollowedFacts`.
 */
export async function openLiveFacts(
  { facts: address }: Pick<Settings, 'facts'>,
  { served, key, log }: FactsOptions,
): Promise<LiveFacts | undefined> {
  if (address === undefined) return undefined;
  expectOneBundle(served);
  const facts = withoutSecrets(address);
  return createLiveFacts(await openStore(address, key, (line) => log.warn({ facts }, line)), {
    onError: (error) => log.error({ error, facts }, 'changes of facts cannot be made visible'),
  });
}

/** Opens the store that an address names, or follows the server that it names. */
function openStore(
  address: string,
  key: string | undefined,
  log: (line: string) => void,
): Promise<FactStore> {
  return /^https?:/.test(address) ? openFollowedFacts(address, { key, log }) : openFacts(address, { log });
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
