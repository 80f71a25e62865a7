import { createRequire } from 'node:module';
import { FuzzError } from '@fuzzqe/core';
import { fromJson, type RankReply, type RankRequest } from '../hosts/protocol.ts';
import { bundleHost, canBundle, wasmFile } from './bundle-host.ts';
import { type Answerer, absent, firstLine, type ParityRuntime } from './runtime.ts';
import { startWorker } from './workerd-process.ts';

const script = `import wasm from './ort.wasm';
import { createWorkerHost } from './worker-host';
export default createWorkerHost(wasm);`;

/** The runtime of Workers, with onnxruntime-web inside. */
export const workerdRuntime: ParityRuntime = {
  description: 'onnxruntime-web in workerd, the runtime of Workers',
  async available() {
    try {
      programOf();
    } catch (error) {
      return absent(`${firstLine(error)}; npm install --save-dev workerd`);
    }
    return canBundle();
  },
  async open({ directory, profile }) {
    const worker = await startWorker(programOf(), {
      script: await bundleHost(script),
      wasm: wasmFile('wasm'),
      bundle: directory,
    });
    return remoteAnswerer('workerd', profile, worker.close, async (request) => {
      const response = await fetch(worker.url, { method: 'POST', body: JSON.stringify(request) });
      if (!response.ok) return { error: `workerd: status ${response.status}: ${await response.text()}` };
      return (await response.json()) as RankReply;
    });
  },
};

/** The path of workerd. Throws where it is not installed. */
export function programOf(): string {
  const { default: path } = createRequire(import.meta.url)('workerd') as { readonly default: string };
  return path;
}

/** An answerer that asks a runtime elsewhere. */
export function remoteAnswerer(
  place: string,
  profile: string,
  close: () => Promise<void>,
  ask: (request: RankRequest) => Promise<RankReply>,
): Answerer {
  let runtime = place;
  return {
    get runtime() {
      return runtime;
    },
    async rank(queries, { k, plan }) {
      const reply = await ask({ profile, queries, k, plan });
      if ('error' in reply) throw new FuzzError('runtime', `${place}: ${reply.error}`);
      runtime = `${reply.runtime} in ${place}`;
      return reply.rankings.map(fromJson);
    },
    close,
  };
}
