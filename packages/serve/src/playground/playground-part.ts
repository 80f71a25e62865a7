import { type ApiContext, type ApiEnv, type ApiPart, type Declaration, RequestError } from '@fuzzqe/api';
import { bundlePaths, signaturePath, storedFiles } from '@fuzzqe/bundle';
import { type Context, Hono } from 'hono';
import { folderSource } from '../bundle-source.ts';
import { createFileCheck, type FileCheck } from './file-check.ts';
import { type PageFile, readPageFiles } from './page-files.ts';

/** What of the playground is served. */
export interface PlaygroundOptions {
  /** Where the built page lies: `pageFolder` of `@fuzzqe/playground`. */
  readonly folder: string;
  /** The folder of a model's bundle, whose files browsers may read to answer by themselves. Default: they may not. */
  readonly bundleOf?: (model: string) => string | undefined;
  /** The file of the runtime for WebGPU, and its path in the page. Default: browsers answer by WebAssembly alone. */
  readonly gpuRuntime?: { readonly path: string; readonly file: string } | undefined;
}

const path = '/playground';
const bundles = 'bundles';

/** What the page may do: its own scripts and styles, this server, and WebAssembly. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What is sent with each file of the page, by names in small letters: it may use threads, and nothing of it comes from elsewhere. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The page on which questions are built, at `/playground/`; its files need no key, for a browser asks for them before anybody could
 * enter one. The files of bundles do.
 */
export function playgroundPart({ folder, bundleOf, gpuRuntime }: PlaygroundOptions): ApiPart {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;
  const pageFile = async (name: string): Promise<PageFile | undefined> => {
    files ??= readPageFiles(folder, gpuRuntime && { [gpuRuntime.path]: gpuRuntime.file }).catch(
      (cause: unknown) => {
        // Anyone who asks next tries again.
        files = undefined;
        throw cause;
      },
    );
    return (await files).get(name);
  };
  const config = JSON.stringify({
    server: '..',
    ...(bundleOf === undefined ? {} : { bundle: `${bundles}/{model}/` }),
    ...(gpuRuntime === undefined ? {} : { webgpu: true }),
  });
  const check = createFileCheck();
  return {
    path: '/',
    isOpen: (asked) =>
      asked === path || (asked.startsWith(`${path}/`) && !asked.startsWith(`${path}/${bundles}/`)),
    endpoints: { [`GET ${path}`]: 'a page on which questions are built and answers explained' },
    home: `${path.slice(1)}/`,
    declare: () => ({ routes: declared }),
    routes(context) {
      const routes = new Hono<ApiEnv>();
      routes.get(path, (request) => request.redirect(`${path.slice(1)}/`, 308));
      routes.get(`${path}/${bundles}/:model/:file{.+}`, (request) =>
        sendBundleFile(
          context,
          request,
          bundleOf,
          check,
          request.req.param('model'),
          request.req.param('file'),
        ),
      );
      routes.get(`${path}/:file{.*}`, async (request) => {
        const name = request.req.param('file') || 'index.html';
        if (name === 'playground.json')
          return request.body(config, 200, {
            ...pageHeaders,
            'content-type': 'application/json',
            'cache-control': 'no-cache',
          });
        const file = await pageFile(name);
        if (file === undefined) throw notFound(request.req.path);
        return sendPageFile(request, file);
      });
      return routes;
    },
  };
}

async function sendPageFile(request: Context<ApiEnv>, file: PageFile): Promise<Response> {
  const { type, isHashed } = file;
  const headers = {
    ...pageHeaders,
    'content-type': type,
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
  };
  const small = takesGzip(request.req.header('accept-encoding')) ? await file.compressed() : undefined;
  return small === undefined
    ? request.body(await file.read(), 200, headers)
    : request.body(small, 200, { ...headers, 'content-encoding': 'gzip' });
}

/** Whether a client accepts gzip: with a weight above 0 (RFC 9110, 12.5.3). */
function takesGzip(header = ''): boolean {
  const weights = new Map(
    header.split(',').map((coding): [string, number] => {
      const [name = '', ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((each) => each.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

/** Sends a file that the manifest of a model's bundle lists, or the manifest. */
async function sendBundleFile(
  { models }: ApiContext,
  request: Context<ApiEnv>,
  bundleOf: PlaygroundOptions['bundleOf'],
  check: FileCheck,
  model: string,
  file: string,
): Promise<Response> {
  if (bundleOf === undefined) throw notFound(request.req.path);
  // Before folders are asked for, which bundles that are not open have none of.
  const lease = await models.acquire(model);
  try {
    const folder = bundleOf(model);
    if (folder === undefined) throw notFound(request.req.path);
    const stored = storedFiles(lease.engine.manifest);
    const entry = Object.hasOwn(stored, file) ? stored[file] : undefined;
    const isOurs = entry !== undefined || [bundlePaths.manifest, signaturePath].includes(file);
    if (!isOurs) throw notFound(request.req.path);
    const tag = entry === undefined ? undefined : `"${entry.sha256}"`;
    const headers = {
      ...pageHeaders,
      'content-type': 'application/octet-stream',
      'cache-control': 'private, no-cache',
      ...(tag === undefined ? {} : { etag: tag }),
    };
    const source = folderSource(folder);
    if (entry !== undefined) await check(folder, file, entry);
    const bytes = entry?.bytes ?? (await source.sizeOf(file));
    if (tag !== undefined && names(request.req.header('if-none-match'), tag))
      return request.body(null, 304, headers);
    const found = { ...headers, 'content-length': `${bytes}` };
    return request.req.method === 'HEAD'
      ? request.body(null, 200, found)
      : request.body(await source.stream(file, bytes), 200, found);
  } finally {
    lease.release();
  }
}

/** Whether a list of tags has this one or stands for all (RFC 9110, 13.1.2). */
function names(header = '', tag: string): boolean {
  const tags = header.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}

function notFound(address: string): RequestError {
  return new RequestError('not-found', `no such file: ${address}`, `The page is at ${path}/.`);
}

const file = (
  summary: string,
  types: readonly string[],
  others: Declaration['answers'] = {},
): Declaration => ({
  ...{ tag: 'Playground', summary },
  answers: {
    200: {
      meaning: 'The file.',
      content: Object.fromEntries(types.map((type) => [type, { type: 'string' }])),
    },
    ...others,
  },
});
const declared = {
  [`GET ${path}`]: {
    ...{ tag: 'Playground', summary: 'Leads to the page', answers: { 308: { meaning: 'To the page.' } } },
  },
  [`GET ${path}/:file`]: file('The page and what it loads', ['text/html', '*/*']),
  [`GET ${path}/${bundles}/:model/:file`]: file(
    'A file of a bundle, where browsers may answer by themselves',
    ['application/octet-stream'],
    { 304: { meaning: 'The file that the client has.' } },
  ),
};
