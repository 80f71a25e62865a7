import { createRequire } from 'node:module';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { schema } from '@fuzzqe/core';
import { runtimePackage } from '@fuzzqe/ort';

/** What a run was trained on. */
export interface Environment {
  readonly node: string;
  /** Operating system, its version and the processor's architecture. */
  readonly system: string;
  /** The processor's name, and how many cores it shows. */
  readonly cpu: string;
  readonly cpus: number;
  readonly memoryGiB: number;
  /** Versions of the packages that compute. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Reads an environment from JSON. */
export const environmentSchema: schema.Schema<Environment> = schema.object({
  node: schema.string,
  system: schema.string,
  cpu: schema.string,
  cpus: schema.integer({ min: 0 }),
  memoryGiB: schema.number({ min: 0 }),
  versions: schema.record(schema.string),
});

/** The environment of this process; nothing in it names the machine or its user. */
export function currentEnvironment(): Environment {
  const require = createRequire(import.meta.url);
  const versionOf = (read: () => string): string => {
    try {
      return read();
    } catch {
      // Bundled into one file, a package no longer has its description next to it.
      return 'unknown';
    }
  };
  const processors = cpus();
  return {
    node: process.version,
    system: `${type()} ${release()} ${arch()}`,
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cpus: processors.length,
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    versions: {
      '@fuzzqe/train': versionOf(() => (require('../../package.json') as { version: string }).version), // npm requires it
      'onnxruntime-node': versionOf(() => runtimePackage().version),
    },
  };
}
