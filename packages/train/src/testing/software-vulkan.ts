import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A Vulkan driver that computes on the CPU: where it is, or why there is none. */
export type SoftwareVulkan =
  | {
      readonly present: true;
      /** Environment variables of a process that is to use it; the loader reads them when it starts. */
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly present: false; readonly reason: string };

/** SwiftShader comes with Debian's chromium, lavapipe with Mesa 25. */
const drivers = [
  '/usr/lib/chromium/vk_swiftshader_icd.json',
  '/usr/share/vulkan/icd.d/lvp_icd.json',
  '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json',
];

/** Looks for a software Vulkan driver, so that WebGPU can be tested without a graphics processor. */
export function softwareVulkan(): SoftwareVulkan {
  const driver = drivers.find((path) => existsSync(path));
  if (driver === undefined)
    return {
      present: false,
      reason: 'no software Vulkan driver: install Debian chromium or mesa-vulkan-drivers',
    };
  const variables = { VK_ICD_FILENAMES: driver, VK_DRIVER_FILES: driver };
  if (systemHasLoader()) return { present: true, env: variables };
  // Chromium brings a loader of its own.
  const folder = dirname(driver);
  if (!existsSync(join(folder, 'libvulkan.so.1')))
    return { present: false, reason: 'no libvulkan.so.1: install libvulkan1' };
  const path = [folder, process.env['LD_LIBRARY_PATH']].filter((part) => part !== undefined).join(':');
  return { present: true, env: { ...variables, LD_LIBRARY_PATH: path } };
}

function systemHasLoader(): boolean {
  try {
    return execFileSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).includes('libvulkan.so.1 ');
  } catch {
    return false;
  }
}
