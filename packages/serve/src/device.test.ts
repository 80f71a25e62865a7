import { describe, expect, it } from 'vitest';
import { createDeviceChoice, type DeviceName } from './device.ts';

const working =
  (...devices: DeviceName[]) =>
  async (device: DeviceName): Promise<string> => {
    if (devices.includes(device)) return device;
    throw new Error(`no ${device} here\nand a second line`);
  };

/** Finds every device in order, so that only opening a file tells. */
const probe = async (): Promise<undefined> => undefined;

describe('the choice of a device', () => {
  it.each([
    [['cuda', 'webgpu', 'cpu'], 'cuda', []],
    [['webgpu', 'cpu'], 'webgpu', ['cuda is not available: no cuda here']],
    [['cpu'], 'cpu', ['cuda is not available: no cuda here', 'webgpu is not available: no webgpu here']],
  ] as const)('takes the first that works of %j', async (devices, chosen, lines) => {
    const heard: string[] = [];
    const choice = createDeviceChoice('auto', (line) => heard.push(line), probe);
    const opened = await Promise.all([1, 2, 3].map((n) => choice.open(`${n}.onnx`, working(...devices))));
    expect(opened).toEqual([chosen, chosen, chosen]);
    expect(choice.current).toBe(chosen);
    expect(heard).toEqual(lines);
  });

  it('takes no other than the one asked for, and says what to do', async () => {
    const choice = createDeviceChoice('cuda', () => undefined, probe);
    await expect(choice.open('2i.onnx', working('cpu'))).rejects.toMatchObject({
      code: 'runtime',
      message: 'cuda: no cuda here',
      hint: expect.stringContaining('the device cpu'),
    });
  });

  it('settles nothing where no device opens the file, and names it', async () => {
    const choice = createDeviceChoice('auto', () => undefined, probe);
    await expect(choice.open('2i.onnx', working())).rejects.toMatchObject({
      code: 'runtime',
      path: '2i.onnx',
    });
    expect(choice.current).toBe('auto');
    expect(await choice.open('2i.onnx', working('cpu'))).toBe('cpu');
  });

  it('opens nothing on a device that its probe refuses, and probes the CPU never', async () => {
    const [opened, probed, heard]: [string[], string[], string[]] = [[], [], []];
    const create = async (device: DeviceName): Promise<string> => {
      opened.push(device);
      return device;
    };
    const refuse = async (device: DeviceName): Promise<string> => {
      probed.push(device);
      return `no driver for ${device}`;
    };
    const auto = createDeviceChoice('auto', (line) => heard.push(line), refuse);
    expect(await auto.open('2i.onnx', create)).toBe('cpu');
    expect(heard).toEqual(
      ['cuda', 'webgpu'].map((name) => `${name} is not available: no driver for ${name}`),
    );
    const cuda = createDeviceChoice('cuda', () => undefined, refuse);
    await expect(cuda.open('2i.onnx', create)).rejects.toMatchObject({ message: 'cuda: no driver for cuda' });
    expect(await createDeviceChoice('cpu', () => undefined, refuse).open('2i.onnx', create)).toBe('cpu');
    expect({ opened, probed }).toEqual({ opened: ['cpu', 'cpu'], probed: ['cuda', 'webgpu', 'cuda'] });
  });
});
