export { autoCandidates, type ChooseOptions, chooseDevice } from './choose-device.ts';
export { type DeviceName, deviceNames } from './device-name.ts';
export { type DeviceLimits, expectFit, formatBytes } from './expect-fit.ts';
export type { DeviceReport } from './inspect-device.ts';
export { type GemmRate, gemmRate, type StepTime, selfCheck, stepTime } from './measure-device.ts';
export { type DeviceOptions, openDevice } from './open-device.ts';
export { type ProbeOptions, probeDevice } from './probe-device.ts';
export { type ProgramCost, programCost } from './program-cost.ts';
export { type SampleSize, type SampleStep, sampleSizes, sampleStep } from './sample-step.ts';
