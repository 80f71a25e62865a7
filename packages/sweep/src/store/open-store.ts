import { FuzzError } from '@fuzzqe/core';
import { folderStore } from './folder-store.ts';
import { s3Settings } from './s3-settings.ts';
import { s3Store } from './s3-store.ts';
import type { SweepStore } from './sweep-store.ts';

/**
 * The store that an address names: `s3://bucket/prefix`, or a folder. @throws FuzzError `usage`: it is another address.
 *
 * @example
 * const store = openStore('s3://sweeps/mine');
 */
export function openStore(address: string): SweepStore {
  if (address.startsWith('s3://')) return s3Store(s3Settings(address));
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address))
    throw new FuzzError('usage', 'store: expected a folder or s3://bucket/prefix', {
      path: address,
      hint: 'For an S3-compatible server, set AWS_ENDPOINT_URL to its address.',
    });
  return folderStore(address);
}
