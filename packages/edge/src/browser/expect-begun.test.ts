import { afterEach, expect, it, vi } from 'vitest';
import { expectBegun } from './expect-begun.ts';

afterEach(() => vi.unstubAllGlobals());

it('says what fails and nobody hears of while something begins, and hears of nothing afterwards', async () => {
  // A worker's global object hears of what is refused and not handled; that of Node does not.
  const scope = new EventTarget();
  vi.stubGlobal('addEventListener', scope.addEventListener.bind(scope));
  vi.stubGlobal('removeEventListener', scope.removeEventListener.bind(scope));
  const unheard = (reason: unknown): Event =>
    Object.assign(new Event('unhandledrejection', { cancelable: true }), { reason });
  const url = 'https://example.org/runtime.wasm';
  const beginning = expectBegun(new Promise(() => undefined), url, '1.30.0');
  const event = unheard(new TypeError('Ee.Va is not a function'));
  scope.dispatchEvent(event);
  await expect(beginning).rejects.toMatchObject({
    code: 'runtime',
    path: url,
    message:
      'expected the file of onnxruntime-web 1.30.0, got another or a damaged one: Ee.Va is not a function',
    hint: expect.stringContaining('onnxruntime-web/dist'),
  });
  expect(event.defaultPrevented).toBe(true);
  expect(await expectBegun(Promise.resolve('begun'), url, '1.30.0')).toBe('begun');
  const late = unheard(new Error('of somebody else'));
  scope.dispatchEvent(late);
  expect(late.defaultPrevented).toBe(false);
});
