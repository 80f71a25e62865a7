/** The devices that can train, as `--device` names them. */
export const deviceNames = [
  'cpu',
  'webgpu',
  'cuda',
  'tfjs:tensorflow',
  'tfjs:webgpu',
  'tfjs:wasm',
  'tfjs:cpu',
] as const;
export type DeviceName = (typeof deviceNames)[number];
