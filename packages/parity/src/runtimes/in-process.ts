import { join } from 'node:path';
import { readManifest } from '@fuzzqe/bundle';
import { webSessions } from '@fuzzqe/edge';
import { javascriptSessions, openEngine, type SessionFactory } from '@fuzzqe/engine';
import { type DeviceName, folderSource, nodeSessions, probeDevice } from '@fuzzqe/serve';
import { type Answerer, absent, type ParityRuntime, type ParityTarget, rankerAnswerer } from './runtime.ts';

/** onnxruntime-node on one device. */
export function nodeRuntime(device: DeviceName, description: string): ParityRuntime {
  return {
    description,
    async available({ directory, profile }) {
      const { profiles, files } = await readManifest(folderSource(directory));
      const inParts = profiles[profile]!.rank.weights.some((path) => files[path]?.parts !== undefined);
      if (inParts) return absent('it opens weights by their path, and those of this bundle lie in parts');
      if (device === 'cpu') return { present: true };
      const reason = await probeDevice(device, join(directory, profiles[profile]!.operators.negation.path));
      return reason === undefined ? { present: true } : absent(reason);
    },
    open: (target) => open(target, nodeSessions(target.directory, { device, log: () => {} })),
  };
}

/** onnxruntime-web in this process. */
export const webRuntime: ParityRuntime = {
  description: 'onnxruntime-web in Node, WebAssembly',
  available: async () => ({ present: true }),
  async open(target) {
    // Loaded only where it is asked for: its WebAssembly takes a while to start.
    const ort = await import('onnxruntime-web');
    return open(target, webSessions({ ort }));
  },
};

/** No runtime: the graphs in plain JavaScript. */
export const javascriptRuntime: ParityRuntime = {
  description: 'the graphs in plain JavaScript, without a runtime',
  available: async () => ({ present: true }),
  open: (target) => open(target, javascriptSessions()),
};

/** Files are compared with their digests once, before any runtime is opened. */
async function open({ directory, profile }: ParityTarget, sessions: SessionFactory): Promise<Answerer> {
  const source = folderSource(directory);
  const { ranker } = await openEngine({ source, sessions, profile, verify: false });
  return rankerAnswerer(ranker);
}
