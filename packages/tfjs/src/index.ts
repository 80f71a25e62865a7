export { type Backend, type BackendName, backendNames } from './backend/backend.ts';
export { type BackendProbe, openBackend, probeBackend } from './backend/open-backend.ts';
export { type DeviceProgram, openProgram } from './execution/device-program.ts';
export { createDeviceTensors, type DeviceTensors } from './execution/device-tensors.ts';
export { download } from './execution/upload.ts';
