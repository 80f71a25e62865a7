import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DeviceName } from '../runtimes/device-name.ts';
import { type DeviceReport, type InspectOptions, inspectDevice } from './inspect-device.ts';

/** Where and for how long a probe runs. */
export interface ProbeOptions extends InspectOptions {
  /** Seconds after which a device that has not answered is given up. Default 120. */
  readonly timeout?: number;
  /** The compiled script of the process; for tests. */
  readonly script?: string;
}

/**
 * Finds out whether a device works, in a process of its own: a driver that is missing prints what it likes, and one
 * that is broken may end the process or never answer.
 *
 * Run from TypeScript sources, where no compiled script lies next to this file, it happens in this process.
 */
export async function probeDevice(
  device: DeviceName,
  { timeout = 120, script = compiledScript(), ...options }: ProbeOptions,
): Promise<DeviceReport> {
  if (script === undefined) return inspectDevice(device, options);
  return new Promise((settle) => {
    const child = fork(script, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
    let errors = '';
    let report: DeviceReport | undefined;
    const timer = setTimeout(() => child.kill('SIGKILL'), 1000 * timeout);
    child.stderr!.on('data', (part: Buffer) => {
      errors = (errors + part.toString()).slice(-10_000);
    });
    child.on('message', (message) => {
      report = message as DeviceReport;
    });
    child.on('error', () => {}); // `close` follows
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const late = signal === 'SIGKILL' ? `did not answer in ${timeout} s` : undefined;
      settle(
        report ?? {
          device,
          available: false,
          reason: `the process that tried it ${late ?? `ended with ${signal ?? `exit code ${code}`}`}${lastLine(errors)}`,
          software: false,
          limits: {},
        },
      );
    });
    child.send({ device, options });
  });
}

function compiledScript(): string | undefined {
  const script = fileURLToPath(new URL('./probe-process.js', import.meta.url));
  return existsSync(script) ? script : undefined;
}

function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line}`;
}
