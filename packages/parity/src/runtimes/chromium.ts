import { access, constants } from 'node:fs/promises';
import { FuzzError } from '@fuzzqe/core';
import { bundleHost, canBundle, wasmFile } from './bundle-host.ts';
import { type PageFiles, servePage } from './page-server.ts';
import { remoteAnswerer } from './remote-answerer.ts';
import { absent, firstLine, type ParityRuntime } from './runtime.ts';

/** Where Chromium is. */
const chromiumPath = (): string => process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const devices = {
  wasm: { host: './page-host', flags: ['--disable-gpu'] },
  // Without a graphics processor, SwiftShader computes on the CPU.
  webgpu: {
    host: './page-webgpu-host',
    flags: ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'],
  },
} as const;

/** A page in headless Chromium, with onnxruntime-web inside. */
export function chromiumRuntime(device: keyof typeof devices, description: string): ParityRuntime {
  const { host, flags } = devices[device];
  return {
    description,
    isProgram: true,
    async available() {
      const program = chromiumPath();
      const found = await access(program, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (!found) return absent(`no program ${program}; install Chromium, or set CHROMIUM_PATH`);
      try {
        await import('playwright-core');
      } catch (error) {
        return absent(
          `playwright-core, which drives Chromium, cannot be loaded: npm install --save-dev playwright-core (${firstLine(error)})`,
        );
      }
      return canBundle();
    },
    async open({ directory, profile }, signal) {
      const script = await bundleHost(`export * from '${host}';`);
      const { call, ended, close } = await openPage(
        { script, wasm: wasmFile(device), bundle: directory },
        flags,
      );
      const carry = (text: string): Promise<string> => call(`host.answer(${JSON.stringify(text)})`);
      return remoteAnswerer({ name: 'Chromium', carry, ended, close }, profile, signal);
    },
  };
}

/** A page in a browser of its own. */
export interface Page {
  /** The value of an expression that may use the module as `host`. */
  call(expression: string): Promise<string>;
  /** What has ended, so that there is nothing more to call; undefined while the page is there. */
  ended(): string | undefined;
  /** Once or again. */
  close(): Promise<void>;
}

/**
 * Opens a page with the module /host.js. It is served over HTTP, because files of a bundle may be larger than a message of
 * the DevTools protocol.
 *
 * @throws FuzzError `runtime`: Chromium does not start, or the page does not load.
 */
export async function openPage(files: PageFiles, flags: readonly string[] = []): Promise<Page> {
  const { chromium } = await import('playwright-core');
  const executablePath = chromiumPath();
  // Root may not have a sandbox, and a container's shared memory is small.
  const args = ['--disable-dev-shm-usage', '--disable-quic', ...flags];
  const failed = (cause: unknown): never => {
    throw new FuzzError('runtime', `Chromium: ${firstLine(cause)}`, { path: executablePath, cause });
  };
  const server = await servePage(files);
  const browser = await chromium
    // Signals are for anyone who runs this to hear: Playwright would take them, close the browser, and let the work go on.
    .launch({ executablePath, chromiumSandbox: false, args, ...deaf })
    .catch((cause: unknown) => server.close().then(() => failed(cause)));
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= browser.close().finally(server.close);
    return closing;
  };
  try {
    const page = await browser.newPage();
    let crashed = false;
    page.once('crash', () => {
      crashed = true;
    });
    await page.goto(server.url);
    const load = `import('${server.url}host.js')`;
    return {
      call: (expression) => page.evaluate<string>(`${load}.then((host) => ${expression})`).catch(failed),
      ended: () =>
        crashed
          ? 'its page crashed'
          : browser.isConnected() && !page.isClosed()
            ? undefined
            : 'the browser ended',
      close,
    };
  } catch (cause) {
    await close();
    return failed(cause);
  }
}

const deaf = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false } as const;
