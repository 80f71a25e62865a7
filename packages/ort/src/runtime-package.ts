import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Where onnxruntime-node is. */
export interface RuntimePackage {
  readonly folder: string;
  /** The module that a process of its own loads. */
  readonly main: string;
  /** The native libraries for this machine. */
  readonly libraries: string;
  readonly version: string;
}

/** The onnxruntime-node that sessions are opened with. */
export function runtimePackage(): RuntimePackage {
  const require = createRequire(import.meta.url);
  const main = require.resolve('onnxruntime-node');
  const folder = join(dirname(main), '..');
  const { version } = require('onnxruntime-node/package.json') as { version: string }; // npm requires it
  return { folder, main, libraries: join(folder, 'bin', 'napi-v6', process.platform, process.arch), version };
}
