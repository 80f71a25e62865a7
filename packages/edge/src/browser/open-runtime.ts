import { env, InferenceSession, Tensor } from 'onnxruntime-web/wasm';
import { beginRuntime } from '../begin-runtime.ts';
import { versionOf, withModule } from '../precompiled.ts';
import { type WebRuntime, type WebSessions, webSessions } from '../session.ts';
import type { OpenCall } from './browser-messages.ts';
import type { BrowserRuntime } from './browser-options.ts';
import { expectBegun } from './expect-begun.ts';
import { loadRuntimeModule, type RuntimeFile } from './runtime-module.ts';

/** A runtime that has begun, where that is not left to its first graph. */
export interface OpenRuntime {
  readonly sessions: WebSessions;
  readonly ort: WebRuntime;
  /** Keeps its file for the next visit, once it has begun to run. */
  keep(): Promise<void>;
  /** Forgets the copy of it. */
  discard(): Promise<void>;
}

/** What is used of it: a bundler leaves the rest away. */
const wasmRuntime: WebRuntime = { InferenceSession, Tensor, env };

/** Which runtime is wanted, and where its file is. */
export interface WantedRuntime extends Pick<OpenCall, 'wasm' | 'threads'> {
  readonly runtime: Exclude<BrowserRuntime, 'javascript'>;
}

/**
 * Loads the runtime and has it begin.
 *
 * @throws FuzzError `runtime`: the file is not there, is none, or another one.
 */
export async function openRuntime(
  { runtime, wasm, threads }: WantedRuntime,
  listening: Omit<RuntimeFile, 'url' | 'version'>,
): Promise<OpenRuntime> {
  const version = versionOf(wasmRuntime);
  const [loaded, build] = await Promise.all([
    loadRuntimeModule({ url: wasm, version, ...listening }),
    // The default build answers wrongly on WebGPU; this one is right.
    runtime === 'wasm' ? wasmRuntime : import('onnxruntime-web/webgpu'),
  ]);
  const { module, keep, discard } = loaded;
  const ort = withModule<WebRuntime>(build, module);
  const sessions = webSessions({ ort, device: runtime, threads });
  // While files of the bundle are on their way. A fault comes again.
  try {
    if (runtime === 'wasm') await expectBegun(beginRuntime(ort), wasm, version);
  } catch (error) {
    await discard();
    throw error;
  }
  return { sessions, ort, keep, discard };
}
