import {
  chooseDevice,
  type DeviceLimits,
  type DeviceName,
  type DeviceOptions,
  formatBytes,
  openDevice,
  type TrainingRuntime,
} from '@fuzzqe/train';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * The device that `--device` names, or chooses, ready to train; says which it is.
 *
 * @throws FuzzError `runtime`: the device is not available, with what is missing.
 */
export async function trainingDevice(
  terminal: Terminal,
  wanted: DeviceName | 'auto',
  options: DeviceOptions,
): Promise<{ readonly runtime: TrainingRuntime; readonly limits: DeviceLimits }> {
  const { device, adapter, limits } = await chooseDevice(wanted, { ...options, log: terminal.note });
  const memory = limits.memoryBytes === undefined ? '' : `, ${formatBytes(limits.memoryBytes)}`;
  terminal.note(`Device: ${device}${adapter === undefined ? '' : `, ${adapter}`}${memory}`);
  return { runtime: openDevice(device, options), limits };
}
