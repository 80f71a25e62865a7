/** What to do where there is no WebGPU adapter. */
export const webgpuHint =
  'Install the driver of the graphics processor; on Linux also libvulkan1, and for NVIDIA libegl1, libgl1 and libxext6.';
