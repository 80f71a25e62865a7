import { FuzzError } from '@fuzzqe/core';
import type { DeviceName } from '../runtimes/device-name.ts';
import { findAdapter } from './adapter.ts';
import type { DeviceReport } from './inspect-device.ts';
import { type ProbeOptions, probeDevice } from './probe-device.ts';

/** What `auto` tries in addition to the CPU. tfjs on the CPU is left out: ONNX Runtime is several times as fast there. */
const autoCandidates: readonly DeviceName[] = ['cuda', 'webgpu', 'tfjs:tensorflow', 'tfjs:webgpu'];

/** How to choose a device. */
export interface ChooseOptions extends ProbeOptions {
  /** Told why devices are not taken, line by line. */
  readonly log?: (line: string) => void;
  /** For tests: what finds out about a device. */
  readonly probe?: (device: DeviceName, options: ProbeOptions) => Promise<DeviceReport>;
}

/**
 * Takes the device that was asked for, or for `auto` the fastest: of those whose step equals the CPU's, the one with
 * the shortest step. Software adapters are never taken by `auto`.
 *
 * @throws FuzzError `runtime`: the device that was asked for is not available or computes something else.
 * @example
 * const { device } = await chooseDevice('auto', { threads: 2, log: console.log });
 */
export async function chooseDevice(
  wanted: DeviceName | 'auto',
  { log = () => {}, probe = probeDevice, ...options }: ChooseOptions,
): Promise<DeviceReport> {
  // The CPU is what everything is compared with: there is nothing to try.
  if (wanted === 'cpu') {
    const { name, ...adapter } = await findAdapter('cpu');
    return { device: 'cpu', available: true, ...adapter, ...(name === undefined ? {} : { adapter: name }) };
  }
  if (wanted !== 'auto') {
    const report = await probe(wanted, options);
    const reason = obstacle(report);
    if (reason !== undefined)
      throw new FuzzError('runtime', `${wanted}: ${reason}`, {
        hint: report.hint ?? 'fuzzqe devices lists what there is.',
      });
    return report;
  }
  const reports: DeviceReport[] = [];
  for (const device of autoCandidates) {
    const report = await probe(device, { ...options, timeSteps: true });
    const reason = obstacle(report) ?? (report.software ? `${report.adapter} is software` : undefined);
    if (reason === undefined) reports.push(report);
    else log(`${device} is not taken: ${reason}${report.hint === undefined ? '' : `. ${report.hint}`}`);
  }
  // The CPU's own time is of interest only where there is something to compare it with.
  const cpu = await probe('cpu', { ...options, timeSteps: reports.length > 0 });
  const time = ({ step }: DeviceReport): number => step?.milliseconds ?? Number.POSITIVE_INFINITY;
  for (const report of [...reports, cpu])
    if (report.step !== undefined) log(`${report.device}: ${time(report).toFixed(1)} ms a step`);
  return reports.reduce((best, report) => (time(report) < time(best) ? report : best), cpu);
}

/** Why a device cannot be used; undefined where it can. */
function obstacle({ available, reason, wrong }: DeviceReport): string | undefined {
  return available ? wrong : (reason ?? 'not available');
}
