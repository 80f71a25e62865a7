import { expect, it, vi } from 'vitest';
import { parityRuntimes } from './registry.ts';

const target = { directory: '', profile: 'fp32' };

it.each([
  ['workerd', 'miniflare'],
  ['chromium', 'playwright-core'],
  ['chromium', 'esbuild'],
] as const)('%s without %s says what to install', async (runtime, name) => {
  // Something that can be executed, so that Chromium is not what is missing.
  vi.stubEnv('CHROMIUM_PATH', process.execPath);
  try {
    expect(await parityRuntimes[runtime].available(target)).toEqual({ present: true });
    vi.doMock(name, () => {
      throw new Error(`no ${name}`);
    });
    const found = await parityRuntimes[runtime].available(target);
    expect(found).toEqual({
      present: false,
      reason: expect.stringContaining(`npm install --save-dev ${name}`),
    });
  } finally {
    vi.doUnmock(name);
    vi.unstubAllEnvs();
  }
});

it('chromium says which program is not there', async () => {
  vi.stubEnv('CHROMIUM_PATH', '/no/such/chromium');
  try {
    expect(await parityRuntimes.chromium.available(target)).toMatchObject({
      present: false,
      reason: expect.stringContaining('/no/such/chromium'),
    });
  } finally {
    vi.unstubAllEnvs();
  }
});
