import {
  chooseDevice,
  type DeviceLimits,
  type DeviceOptions,
  deviceNames,
  formatBytes,
  openDevice,
  type TrainingRuntime,
} from '@fuzzqe/train';
import type { Terminal } from '../terminal/terminal.ts';
import { namesOutOf } from './options.ts';

/**
 * The device that `--device` names, or chooses, ready to train; says which it is.
 *
 * Throws: 'usage' for a name that is none, 'runtime' where the device is not available, with what is missing.
 */
export async function trainingDevice(
  terminal: Terminal,
  name: string,
  options: DeviceOptions,
): Promise<{ readonly runtime: TrainingRuntime; readonly limits: DeviceLimits }> {
  const [wanted] = namesOutOf(name, ['auto', ...deviceNames], 'device');
  const { device, adapter, limits } = await chooseDevice(wanted!, { ...options, log: terminal.note });
  const memory = limits.memoryBytes === undefined ? '' : `, ${formatBytes(limits.memoryBytes)}`;
  terminal.note(`Device: ${device}${adapter === undefined ? '' : `, ${adapter}`}${memory}`);
  return { runtime: openDevice(device, options), limits };
}
