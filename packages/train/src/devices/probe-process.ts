import type { DeviceName } from '../runtimes/device-name.ts';
import { type InspectOptions, inspectDevice } from './inspect-device.ts';

/** The process of a probe: it is told what to look at, tells what it found, and ends, whatever still runs in it. */
process.once('message', ({ device, options }: { device: DeviceName; options: InspectOptions }) => {
  void inspectDevice(device, options).then((report) => process.send?.(report, () => process.exit(0)));
});
