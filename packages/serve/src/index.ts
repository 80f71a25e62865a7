export { bundleFolder } from './bundle-folder.ts';
export { folderSource } from './bundle-source.ts';
export { type DeviceName, deviceNames } from './device.ts';
export { probeDevice } from './probe-device.ts';
export { type RunningServer, type ServerOptions, startServer } from './server.ts';
export { type NodeSessionOptions, nodeSessions } from './session.ts';
