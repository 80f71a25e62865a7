import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { runtimePackage, withoutTelemetry } from '@fuzzqe/ort';
import type { DeviceName } from './device.ts';

const script = `
const [, runtime, file, device] = process.argv;
const ort = require(runtime);
ort.env.logLevel = 'fatal';
ort.InferenceSession.create(file, { executionProviders: [device] }).then(
  () => process.exit(0),
  (error) => {
    console.log(error.message);
    process.exit(1);
  },
);`;

/**
 * Says why a device does not work here; undefined where it does.
 *
 * Only opening a graph tells, and it is opened in a process of its own: drivers that are missing print what they like,
 * and may end the process.
 */
export function probeDevice(device: DeviceName, graph: string): Promise<string | undefined> {
  return new Promise((settle) => {
    const options = { timeout: 60_000, env: withoutTelemetry({ ...process.env }) };
    const args = ['-e', script, runtimePackage().main, resolve(graph), device];
    execFile(process.execPath, args, options, (error, stdout) => {
      if (error === null) settle(undefined);
      else
        settle(
          withoutPlace(stdout.split('\n', 1)[0]!) ||
            `the process that tried it ended with ${error.signal ?? error.code}`,
        );
    });
  });
}

/** A message of ONNX Runtime without the file, line and condition of its own code that may stand before the words. */
function withoutPlace(message: string): string {
  return message.replace(/^\S+\.(?:cc|cpp|h):\d+ .* was false\. /, '');
}
