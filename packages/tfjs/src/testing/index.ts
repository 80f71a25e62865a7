export * from './present-backends.ts';
export * from './software-vulkan.ts';
