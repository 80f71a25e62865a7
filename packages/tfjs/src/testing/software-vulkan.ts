import { existsSync } from 'node:fs';
import { constants } from 'node:os';

/** The driver file of SwiftShader and the Vulkan loader, as Debian's chromium-common installs them. */
const chromium = {
  driver: '/usr/lib/chromium/vk_swiftshader_icd.json',
  loader: '/usr/lib/chromium/libvulkan.so.1',
} as const;

/** `RTLD_NODELETE`, which Node has no name for: the library stays after Node finds that it is no addon. */
const keepLoaded = 0x1000;

let found: boolean | undefined;

/**
 * Gives this process a Vulkan device that is computed on the CPU; false where none is installed.
 *
 * Call it before anything looks for a WebGPU adapter. Where `VK_DRIVER_FILES` or `VK_ICD_FILENAMES` is set, its driver is
 * left in place.
 */
export function softwareVulkan(): boolean {
  found ??= provide();
  return found;
}

function provide(): boolean {
  const { env } = process;
  if (env['VK_DRIVER_FILES'] !== undefined || env['VK_ICD_FILENAMES'] !== undefined) return true;
  if (!existsSync(chromium.driver) || !existsSync(chromium.loader)) return false;
  env['VK_ICD_FILENAMES'] = chromium.driver;
  // It lies outside the folders that the system searches, which are fixed when a process starts; one that is loaded is
  // found by its name, however it came there.
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  try {
    process.dlopen({ exports: {} }, chromium.loader, RTLD_NOW | RTLD_GLOBAL | keepLoaded);
  } catch (cause) {
    if (!String(cause).includes('did not self-register')) return false;
  }
  return true;
}
