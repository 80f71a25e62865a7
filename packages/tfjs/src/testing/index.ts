export { type AbsentBackend, presentBackends } from './present-backends.ts';
export { type SoftwareVulkan, softwareVulkan } from './software-vulkan.ts';
