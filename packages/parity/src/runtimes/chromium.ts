import { access, constants } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { FuzzError } from '@fuzzqe/core';
import type { RankReply } from '../hosts/protocol.ts';
import { bundleHost, canBundle, wasmFile } from './bundle-host.ts';
import { type Browser, startBrowser } from './devtools-pipe.ts';
import { servePage } from './page-server.ts';
import { absent, type ParityRuntime } from './runtime.ts';
import { remoteAnswerer } from './workerd.ts';

/** Where Chromium is. */
export const chromiumPath = (): string => process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

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
      return canBundle();
    },
    async open({ directory, profile }) {
      const script = await bundleHost(`export * from '${host}';`);
      const server = await servePage({ script, wasm: wasmFile(device), bundle: directory });
      const browser = await startBrowser(chromiumPath(), flags);
      const close = async (): Promise<void> => {
        await browser.close();
        await server.close();
      };
      try {
        const call = await openPage(browser, server.url);
        return remoteAnswerer('Chromium', profile, close, async (request) => {
          const text = await call(`host.rank(${JSON.stringify(request)}).then(JSON.stringify)`);
          return JSON.parse(text) as RankReply;
        });
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

/** Opens a page with the module /host.js, and gives what evaluates an expression that may use it as `host`. */
export async function openPage(
  browser: Browser,
  url: string,
): Promise<(expression: string) => Promise<string>> {
  const { targetId } = await browser.send('Target.createTarget', { url });
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
  const evaluate = (expression: string): Promise<string> =>
    evaluateIn(browser, sessionId as string, expression);
  // A page that is still on its way would take with it whatever had been begun before.
  for (
    let attempt = 0;
    (await evaluate('location.href + document.readyState')) !== `${url}complete`;
    attempt += 1
  ) {
    if (attempt === 300) throw new FuzzError('runtime', `Chromium: the page ${url} did not load`);
    await setTimeout(100);
  }
  return (expression) => evaluate(`import('${url}host.js').then((host) => ${expression})`);
}

async function evaluateIn(browser: Browser, sessionId: string, expression: string): Promise<string> {
  const { result, exceptionDetails } = (await browser.send(
    'Runtime.evaluate',
    { expression, awaitPromise: true, returnByValue: true },
    sessionId,
  )) as {
    readonly result: { readonly value: string };
    readonly exceptionDetails?: { readonly exception?: { readonly description?: string } };
  };
  if (exceptionDetails !== undefined)
    throw new FuzzError('runtime', `Chromium: ${exceptionDetails.exception?.description ?? 'an exception'}`);
  return result.value;
}
