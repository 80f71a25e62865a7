import { FuzzError } from '@fuzzqe/core';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { parseIndexAddress } from '../index.ts';
import { withoutSecretsOf } from './index-address.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the address of an index', () => {
  it('says what its driver connects to, which table, and how far to look', () => {
    const { secrets, ...address } = parseIndexAddress(
      'postgresql://ann:p%40ss@db.example:5433/kg?sslmode=require&table=mine&method=exact&effort=40',
    );
    expect(address).toEqual({
      kind: 'postgres',
      connection: 'postgresql://ann:p%40ss@db.example:5433/kg?sslmode=require',
      table: 'mine',
      method: 'exact',
      effort: 40,
      shown: 'postgresql://db.example:5433/kg',
    });
    expect(secrets).toEqual(['p%40ss', 'p@ss']);
  });

  it('keeps what drivers read from variables out of texts, and no letters of words', () => {
    vi.stubEnv('AZURE_STORAGE_ACCOUNT_KEY', 'azure-hidden');
    vi.stubEnv('GOOGLE_SERVICE_ACCOUNT_KEY', 'google-hidden');
    vi.stubEnv('MILVUS_TOKEN', 'a');
    vi.stubEnv('AZURE_REGION', 'north');
    const address = parseIndexAddress('lancedb+az://container/index');
    expect(withoutSecretsOf(address, 'azure-hidden and google-hidden of north')).toBe('*** and *** of north');
  });

  it('takes a password whose signs are escaped, and an @ where no user can stand', () => {
    expect(parseIndexAddress('postgres://u:pa%2Fhidden@h/db')).toMatchObject({
      shown: 'postgres://h/db',
      secrets: ['pa%2Fhidden', 'pa/hidden'],
    });
    expect(parseIndexAddress('lancedb+s3://bucket/a@b/c').shown).toBe('lancedb+s3://bucket/a@b/c');
    expect(parseIndexAddress('lancedb:///var/a@b:c/d').connection).toBe('/var/a@b:c/d');
  });

  it.each([
    ['lancedb:./index', './index', undefined],
    ['lancedb:///var/index?table=t', '/var/index', 't'],
    ['lancedb+s3://bucket/index?region=eu', 's3://bucket/index?region=eu', undefined],
  ])('of LanceDB names a folder or an object store: %s', (text, connection, table) => {
    expect(parseIndexAddress(text)).toMatchObject({
      kind: 'lancedb',
      connection,
      table,
      method: 'approximate',
    });
  });

  it.each([
    ['mysql://u:hidden@h/d', 'the scheme mysql'],
    ['index', 'no address'],
    ['postgres://u:hidden@h/d?table=a;drop', 'table: expected lower-case letters'],
    ['postgres://u:hidden@h/d?table=fuzzqe_indexes', 'table: expected another name than fuzzqe_indexes'],
    ['postgres://u:hidden@h/d?method=quick', 'method: expected approximate or exact, got "quick"'],
    ['postgres://u:hidden@h/d?effort=0', 'effort: expected an integer in [1, 1000]'],
    ['postgres://u:pa/hidden@h/db', 'expected / ? # and @ written as %2F'],
    ['postgres://u:1234#hidden@h/db', 'expected / ? # and @ written as %2F'],
    ['postgres://u:pa?hidden@h/db', 'expected / ? # and @ written as %2F'],
    ['postgres://u:pa?table=hidden@h/db', 'expected / ? # and @ written as %2F'],
    ['lancedb+s3://key:pa/hidden@bucket/a', 'expected / ? # and @ written as %2F'],
    ['lancedb:', 'the folder of the index, got none'],
  ])('is refused without its secrets where it is none: %s', (text, message) => {
    const refused = (() => {
      try {
        return parseIndexAddress(text);
      } catch (error) {
        return error;
      }
    })();
    if (!(refused instanceof FuzzError)) throw new Error('expected a refusal');
    expect(refused.code).toBe('usage');
    expect(refused.message).toContain(message);
    expect(`${refused}`).not.toContain('hidden');
  });

  it.each(['--index', '--to'] as const)('is refused by the option that named it: %s', (option) => {
    for (const text of ['nope:x', 'lancedb:', 'lancedb:./ix?table=A-b'])
      expect(() => parseIndexAddress(text, option)).toThrow(
        expect.objectContaining({ code: 'usage', path: option }),
      );
  });
});
