import { describe, expect, it } from 'vitest';
import { importOptional } from './import-optional.ts';

const notFound = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from here\nmore`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });

describe('a package that may be absent', () => {
  it('is loaded where it is there', async () => {
    await expect(importOptional('some', 'npm install some', async () => ({ part: 1 }))).resolves.toEqual({
      part: 1,
    });
  });

  it('is named with the command that installs it where it is not', async () => {
    const absent = importOptional('some', 'npm install some', () => Promise.reject(notFound('some')));
    await expect(absent).rejects.toMatchObject({
      code: 'runtime',
      message: 'the package some is not installed',
      hint: 'Install it: npm install some',
    });
  });

  it('is not taken for absent where one that it needs is', async () => {
    const broken = importOptional('some', 'npm install some', () => Promise.reject(notFound('other')));
    await expect(broken).rejects.toMatchObject({
      message: "the package some does not load: Cannot find package 'other' imported from here",
    });
  });
});
