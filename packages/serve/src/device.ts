import { FuzzError, isPassing, messageOf } from '@fuzzqe/core';

/** The devices that onnxruntime-node can run on here. */
export const deviceNames = ['cpu', 'cuda', 'webgpu'] as const;
export type DeviceName = (typeof deviceNames)[number];

/** Which device is in use; settled when the first graph is opened, and for all graphs. */
export interface DeviceChoice {
  readonly current: DeviceName | 'auto';
  /** Opens a file on the device, trying the devices in turn where none is settled yet. */
  open<T>(file: string, create: (device: DeviceName) => Promise<T>): Promise<T>;
}

/**
 * Chooses a device by trying it.
 *
 * onnxruntime-node lists devices whose libraries are not installed; only creating a session tells. `probe` tries it in a
 * process of its own and says why it does not work: drivers that are missing print what they like.
 * @throws FuzzError `runtime`, from `open`: the device asked for does not work.
 */
export function createDeviceChoice(
  device: DeviceName | 'auto',
  log: (line: string) => void,
  probe: (device: DeviceName, file: string) => Promise<string | undefined>,
): DeviceChoice {
  let current: DeviceName | undefined = device === 'cpu' ? device : undefined;
  // Graphs that are opened at the same time wait for the first of them to settle the device.
  let settling: Promise<unknown> | undefined;

  const tryOne = async <T>(
    candidate: DeviceName,
    file: string,
    create: (device: DeviceName) => Promise<T>,
  ): Promise<T> => {
    const reason = await probe(candidate, file);
    if (reason !== undefined) throw new Error(reason);
    const opened = await create(candidate);
    current = candidate;
    return opened;
  };

  const settle = async <T>(file: string, create: (device: DeviceName) => Promise<T>): Promise<T> => {
    if (device !== 'auto') return openOn(device, file, () => tryOne(device, file, create));
    for (const candidate of ['cuda', 'webgpu'] as const) {
      try {
        return await tryOne(candidate, file, create);
      } catch (cause) {
        log(`${candidate} is not available: ${firstLine(cause)}`);
      }
    }
    const opened = await openOn('cpu', file, create);
    current = 'cpu';
    return opened;
  };

  return {
    get current() {
      return current ?? device;
    },
    async open(file, create) {
      while (settling !== undefined) await settling.catch(() => undefined);
      if (current !== undefined) return openOn(current, file, create);
      const opening = settle(file, create);
      settling = opening;
      try {
        return await opening;
      } finally {
        settling = undefined;
      }
    },
  };
}

async function openOn<T>(
  device: DeviceName,
  file: string,
  create: (device: DeviceName) => Promise<T>,
): Promise<T> {
  try {
    return await create(device);
  } catch (cause) {
    throw new FuzzError('runtime', `${device}: ${firstLine(cause)}`, {
      path: file,
      hint:
        device === 'cpu'
          ? 'The graph or its weights are missing or damaged; verify the bundle.'
          : `Install what ${device} needs, or choose the device cpu.`,
      passing: isPassing(cause),
      cause,
    });
  }
}

function firstLine(cause: unknown): string {
  const message = messageOf(cause);
  return message.split('\n', 1)[0]!;
}
