import { importOptional } from '@fuzzqe/core';
import type { BackendName } from '@fuzzqe/tfjs';
import { absent, firstLine, type ParityRuntime } from './runtime.ts';

/** TensorFlow.js on one of its backends; an optional peer, loaded only where it is asked for, which takes a while. */
export function tfjsRuntime(backend: BackendName, description: string): ParityRuntime {
  return {
    description,
    async available() {
      const install = 'npm install @fuzzqe/tfjs';
      try {
        const { probeBackend } = await importOptional('@fuzzqe/tfjs', install, () => import('@fuzzqe/tfjs'));
        const probe = await probeBackend(backend);
        return probe.available ? { present: true } : absent(probe.reason);
      } catch (cause) {
        return absent(`${firstLine(cause)}; ${install}`);
      }
    },
    async open(target) {
      const { openTfjsAnswerer } = await import('./tfjs-answerer.ts');
      return openTfjsAnswerer(target, backend);
    },
  };
}
