import { type Browser, chromium } from 'playwright-core';

/** Starts Chromium as containers without a graphics card can run it. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    chromiumSandbox: false,
    args: ['--disable-dev-shm-usage', '--disable-gpu', '--disable-quic'],
  });
}
