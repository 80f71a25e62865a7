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
    async open({ directory, profile }) {
      const script = await bundleHost(`export * from '${host}';`);
      const page = await openPage({ script, wasm: wasmFile(device), bundle: directory }, flags);
      return remoteAnswerer('Chromium', profile, page.close, (call) =>
        page.call(`host.answer(${JSON.stringify(call)})`),
      );
    },
  };
}

/** A page in a browser of its own. */
export interface Page {
  /** The value of an expression that may use the module as `host`. */
  call(expression: string): Promise<string>;
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
    .launch({ executablePath, chromiumSandbox: false, args })
    .catch((cause: unknown) => server.close().then(() => failed(cause)));
  const close = async (): Promise<void> => {
    await browser.close();
    await server.close();
  };
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    const load = `import('${server.url}host.js')`;
    return {
      call: (expression) => page.evaluate<string>(`${load}.then((host) => ${expression})`).catch(failed),
      close,
    };
  } catch (cause) {
    await close();
    return failed(cause);
  }
}
