import { describeValue, FuzzError } from '@fuzzqe/core';
import { hasSimd } from '../has-simd.ts';
import type { BrowserOptions, BrowserRuntime, BrowserWarning } from './browser-options.ts';

/** What of WebGPU is asked for here; the library of types has none of it. */
interface Gpu {
  requestAdapter(): Promise<{ readonly info?: { readonly isFallbackAdapter?: boolean } } | null>;
}

/**
 * Where graphs are to run.
 *
 * An adapter that computes on the CPU is taken only where WebGPU was asked for: WebAssembly is faster.
 * Where there is no WebAssembly, which WebGPU needs as well, that is JavaScript if it may answer.
 * @throws FuzzError `runtime`: WebGPU was asked for and is not there; no WebAssembly, and JavaScript may not answer.
 */
export async function chooseRuntime(
  wanted: BrowserRuntime | 'auto',
  mayAnswerInJavascript: boolean,
  warn: (warning: BrowserWarning) => void,
): Promise<BrowserRuntime> {
  if (wanted === 'javascript') return wanted;
  if (!hasSimd()) {
    const lack = 'this browser has no WebAssembly with SIMD';
    if (!mayAnswerInJavascript || wanted === 'webgpu')
      throw new FuzzError('runtime', lack, {
        hint: 'Chrome and Edge have it from 91 on, Firefox from 89 on, Safari from 16.4 on.',
      });
    warn({ code: 'wasm', message: `JavaScript instead of WebAssembly: ${lack}` });
    return 'javascript';
  }
  if (wanted === 'wasm') return 'wasm';
  const { gpu } = navigator as { readonly gpu?: Gpu };
  const adapter = await gpu?.requestAdapter().catch(() => null);
  if (wanted === 'auto') return adapter && adapter.info?.isFallbackAdapter !== true ? 'webgpu' : 'wasm';
  if (adapter) return 'webgpu';
  throw new FuzzError('runtime', 'runtime: expected a browser with WebGPU, found no graphics adapter', {
    hint: "Leave it out, or give 'wasm'.",
  });
}

/**
 * How many threads of WebAssembly there are to be.
 *
 * @throws FuzzError `usage`: no number of threads.
 */
export function chooseThreads(
  wanted: BrowserOptions['threads'],
  warn: (warning: BrowserWarning) => void,
): number {
  const usual = Math.min(4, Math.ceil(navigator.hardwareConcurrency / 2));
  const threads = wanted ?? (crossOriginIsolated ? usual : 1);
  if (!Number.isInteger(threads) || threads < 1 || threads > 64)
    throw new FuzzError('usage', `threads: expected an integer in [1, 64], got ${describeValue(threads)}`, {
      hint: 'Leave it out for the default.',
    });
  if (threads === 1 || crossOriginIsolated) return threads;
  const headers = 'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';
  warn({
    code: 'threads',
    message: `1 thread instead of ${threads}: memory is shared only where the page is served with ${headers}`,
  });
  return 1;
}
