import { describe, expect, it } from 'vitest';
import { createDeviceChoice, type DeviceName } from './device.ts';

const working =
  (...devices: DeviceName[]) =>
  async (device: DeviceName): Promise<string> => {
    if (devices.includes(device)) return device;
    throw new Error(`no ${device} here\nand a second line`);
  };

describe('the choice of a device', () => {
  it.each([
    [['cuda', 'webgpu', 'cpu'], 'cuda', []],
    [['webgpu', 'cpu'], 'webgpu', ['cuda is not available: no cuda here']],
    [['cpu'], 'cpu', ['cuda is not available: no cuda here', 'webgpu is not available: no webgpu here']],
  ] as const)('takes the first that works of %j', async (devices, chosen, lines) => {
    const heard: string[] = [];
    const choice = createDeviceChoice('auto', (line) => heard.push(line));
    const opened = await Promise.all([1, 2, 3].map((n) => choice.open(`${n}.onnx`, working(...devices))));
    expect(opened).toEqual([chosen, chosen, chosen]);
    expect(choice.current).toBe(chosen);
    expect(heard).toEqual(lines);
  });

  it('takes no other than the one asked for, and says what to do', async () => {
    const choice = createDeviceChoice('cuda', () => undefined);
    await expect(choice.open('2i.onnx', working('cpu'))).rejects.toMatchObject({
      code: 'runtime',
      message: 'cuda: no cuda here',
      hint: expect.stringContaining('--device cpu'),
    });
  });

  it('settles nothing where no device opens the file, and names it', async () => {
    const choice = createDeviceChoice('auto', () => undefined);
    await expect(choice.open('2i.onnx', working())).rejects.toMatchObject({
      code: 'runtime',
      path: '2i.onnx',
    });
    expect(choice.current).toBe('auto');
    expect(await choice.open('2i.onnx', working('cpu'))).toBe('cpu');
  });
});
