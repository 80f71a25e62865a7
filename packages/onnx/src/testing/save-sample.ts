import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Keeps an emitted file for bench/peers/check_onnx.py where the environment says in which folder. */
export function saveSample(name: string, bytes: Uint8Array): void {
  const folder = process.env['FUZZQE_ONNX_SAMPLES'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.onnx`), bytes);
}
