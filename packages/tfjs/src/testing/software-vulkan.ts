import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, isAbsolute } from 'node:path';

/** Whether this process has a Vulkan device, and otherwise why not. */
export type SoftwareVulkan =
  | { readonly present: true }
  | { readonly present: false; readonly reason: string };

/** SwiftShader comes with Debian's chromium, lavapipe with Mesa 25. */
const drivers = [
  '/usr/lib/chromium/vk_swiftshader_icd.json',
  '/usr/share/vulkan/icd.d/lvp_icd.json',
  '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json',
];

/** The system's Vulkan loader, or the one that Debian's chromium brings. */
const loaders = ['libvulkan.so.1', '/usr/lib/chromium/libvulkan.so.1'];

/** `RTLD_NODELETE`, which Node has no name for: the library stays after Node finds that it is no addon. */
const keepLoaded = 0x1000;

let found: SoftwareVulkan | undefined;

/**
 * Gives this process a Vulkan device that is computed on the CPU.
 *
 * Call it before anything looks for a WebGPU adapter; child processes find the same one. Where `VK_DRIVER_FILES` or
 * `VK_ICD_FILENAMES` is set, its driver is left in place.
 */
export function softwareVulkan(): SoftwareVulkan {
  found ??= provide();
  return found;
}

function provide(): SoftwareVulkan {
  const { env } = process;
  if (env['VK_DRIVER_FILES'] === undefined && env['VK_ICD_FILENAMES'] === undefined) {
    const driver = drivers.find((path) => existsSync(path));
    if (driver === undefined)
      return {
        present: false,
        reason: 'no software Vulkan driver: install Debian chromium or mesa-vulkan-drivers',
      };
    env['VK_ICD_FILENAMES'] = driver;
  }
  // The folders that the system searches are fixed when a process starts; a library that is loaded is found by its
  // name, however it came there.
  const loader = loaders.find(load);
  if (loader === undefined) return { present: false, reason: 'no libvulkan.so.1: install libvulkan1' };
  // Children that are started from now on search this folder.
  if (isAbsolute(loader))
    env['LD_LIBRARY_PATH'] = [dirname(loader), env['LD_LIBRARY_PATH'] ?? []].flat().join(delimiter);
  return { present: true };
}

function load(library: string): boolean {
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  try {
    process.dlopen({ exports: {} }, library, RTLD_NOW | RTLD_GLOBAL | keepLoaded);
    return true;
  } catch (cause) {
    return String(cause).includes('did not self-register');
  }
}
