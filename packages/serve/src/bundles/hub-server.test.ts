import { afterEach, expect, it, vi } from 'vitest';
import { hubServer } from './hub-server.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  ['', 'https://huggingface.co/'],
  ['https://hub.example/models', 'https://hub.example/models/'],
])('the Hub is that of HF_ENDPOINT, unset where it is empty: "%s"', (text, endpoint) => {
  vi.stubEnv('HF_ENDPOINT', text);
  const address = { owner: 'ann', name: 'mine', revision: 'main' };
  expect(hubServer({ token: '' }).urlOf(address, 'c', 'a/b')).toBe(`${endpoint}ann/mine/resolve/c/a/b`);
});
