import { FuzzError, messageOf } from '@fuzzqe/core';
import { cudaProblem } from '../runtimes/cuda-problem.ts';
import type { DeviceName } from '../runtimes/device-name.ts';
import type { DeviceLimits } from '../runtimes/expect-fit.ts';
import { findAdapter } from './adapter.ts';
import { type GemmRate, gemmRate, type StepTime, selfCheck, stepTime } from './measure-device.ts';
import { type DeviceOptions, openDevice } from './open-device.ts';
import { sampleSizes, sampleStep } from './sample-step.ts';

/** What to find out about a device. */
export interface InspectOptions extends DeviceOptions {
  /** For how long to multiply matrices. Default: not at all. */
  readonly gemmSeconds?: number;
  /** Compares a step with the CPU, and times larger ones. */
  readonly timeSteps?: boolean;
}

/** What is known of a device. */
export interface DeviceReport {
  readonly device: DeviceName;
  readonly available: boolean;
  /** Why it is not available, in one line, and how to mend that. */
  readonly reason?: string;
  readonly hint?: string;
  /** The name of what it computes on. */
  readonly adapter?: string;
  /** A graphics processor that is imitated on the CPU: never chosen by `auto`. */
  readonly software: boolean;
  readonly limits: DeviceLimits;
  readonly gemm?: GemmRate;
  /** Where one step differs from the CPU's; absent where it does not, or was not looked at. */
  readonly wrong?: string;
  /** A step of the size `small`. */
  readonly step?: StepTime;
}

/**
 * Finds out whether a device works, by training one tiny step on it, and what it is.
 *
 * A broken driver may end the process: `probeDevice` does this in a process of its own.
 */
export async function inspectDevice(device: DeviceName, options: InspectOptions): Promise<DeviceReport> {
  let known: Pick<DeviceReport, 'software' | 'limits' | 'adapter'> = { software: false, limits: {} };
  try {
    const problem = device === 'cuda' ? cudaProblem() : undefined;
    if (problem !== undefined) throw new FuzzError('runtime', problem.message, { hint: problem.hint });
    const { name, ...adapter } = await findAdapter(device);
    known = { ...adapter, ...(name === undefined ? {} : { adapter: name }) };
    const runtime = openDevice(device, options);
    const wrong = await selfCheck(runtime, { tf32: device === 'cuda' && options.tf32 === true });
    const { gemmSeconds = 0, timeSteps = false } = options;
    return {
      device,
      available: true,
      ...known,
      ...(wrong === undefined ? {} : { wrong }),
      ...(gemmSeconds > 0 ? { gemm: await gemmRate(runtime, gemmSeconds) } : {}),
      ...(timeSteps && wrong === undefined && !known.software
        ? { step: await stepTime(runtime, await sampleStep(sampleSizes.small), 1) }
        : {}),
    };
  } catch (cause) {
    const hint = cause instanceof FuzzError ? cause.hint : undefined;
    return {
      device,
      available: false,
      reason: oneLine(cause, device),
      ...(hint === undefined ? {} : { hint }),
      ...known,
    };
  }
}

/** The first line of a message, without the name of the device that begins it. */
function oneLine(cause: unknown, device: DeviceName): string {
  const [line] = messageOf(cause).split('\n', 1);
  const begin = [`${device}: `, `${device.replace(':', ' ')}: `].find((each) => line!.startsWith(each)) ?? '';
  return line!.slice(begin.length);
}
