import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { FuzzError } from '@fuzzqe/core';

/** Keys that let requests in. */
export interface AccessKeys {
  /** The name of a key, or undefined where there is no such key; it takes as long either way. */
  nameOf(key: string): string | undefined;
  /** Whether the key of a name may write. */
  mayWrite(name: string): boolean;
}

const line = /^(?<name>[\w.-]{1,64})\s+sha256:(?<digest>[0-9a-f]{64})(?:\s+(?<role>write))?$/;

/**
 * Reads keys as they are stored: a line `name sha256:…` for each, with ` write` at its end if the key may write; blank lines and those after `#` are passed over.
 *
 * Keys are 256 random bits, so that a plain digest of them tells nothing.
 * @throws FuzzError `config`: a line of another form, a name or a key twice, or no key at all.
 */
export function parseAccessKeys(text: string, path: string): AccessKeys {
  const keys: { readonly name: string; readonly digest: Buffer; readonly writes: boolean }[] = [];
  for (const [i, content] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#|$)/.test(content)) continue;
    const refuse = (expected: string): never => {
      // What stands there may be a key in clear.
      throw new FuzzError('config', `expected ${expected}, got something else`, {
        path: `${path}:${i + 1}`,
        hint: 'fuzzqe key NAME makes a key and its line.',
      });
    };
    const { name, digest, role } = line.exec(content.trim())?.groups ?? {};
    if (name === undefined || digest === undefined)
      return refuse('a name and sha256: with 64 hexadecimal digits, then nothing or write');
    if (keys.some((key) => key.name === name)) return refuse('a name that no other line has');
    if (keys.some((key) => key.digest.toString('hex') === digest))
      return refuse('a key that no other line has');
    keys.push({ name, digest: Buffer.from(digest, 'hex'), writes: role === 'write' });
  }
  if (keys.length === 0)
    throw new FuzzError('config', 'expected at least one key, got none', {
      path,
      hint: 'fuzzqe key NAME makes a key and its line.',
    });
  return {
    nameOf(key) {
      const digest = digestOf(key);
      let found: string | undefined;
      for (const each of keys) if (timingSafeEqual(each.digest, digest)) found = each.name;
      return found;
    },
    mayWrite: (name) => keys.some((each) => each.name === name && each.writes),
  };
}

/** A new key, and the line that stores it. */
export function createAccessKey(name: string): { readonly key: string; readonly line: string } {
  const key = `fq_${randomBytes(32).toString('base64url')}`;
  const stored = `${name} sha256:${digestOf(key).toString('hex')}`;
  if (!line.test(stored))
    throw new FuzzError(
      'usage',
      `expected a name of up to 64 letters, digits, dots and dashes, got ${JSON.stringify(name)}`,
    );
  return { key, line: stored };
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
