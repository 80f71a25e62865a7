import type { BackendName } from '@fuzzqe/tfjs';
import { absent, type ParityRuntime } from './runtime.ts';

/** TensorFlow.js on one of its backends; it is loaded only where it is asked for, which takes a while. */
export function tfjsRuntime(backend: BackendName, description: string): ParityRuntime {
  return {
    description,
    async available() {
      const { probeBackend } = await import('@fuzzqe/tfjs');
      const probe = await probeBackend(backend);
      return probe.available ? { present: true } : absent(probe.reason);
    },
    async open(target) {
      const { openTfjsAnswerer } = await import('./tfjs-answerer.ts');
      return openTfjsAnswerer(target, backend);
    },
  };
}
