/** What the page may ask, as the file `playground.json` beside it says. */
export interface PageConfig {
  /** Where the API of a server stands, relative to the page; nothing where there is no server. */
  readonly server: string | undefined;
  /** The folder of the bundle, relative to the page, with `{model}` for the name of the model; nothing where it may not be read. */
  readonly bundle: string | undefined;
  /** Whether the runtime for WebGPU is there as well. */
  readonly webgpu: boolean;
}

/** Reads what the page may ask; a page without the file lies below its server. */
export async function readPageConfig(page: URL): Promise<PageConfig> {
  const fallback: PageConfig = { server: '..', bundle: undefined, webgpu: false };
  const response = await fetch(new URL('playground.json', page)).catch(() => undefined);
  if (response === undefined || !response.ok) return fallback;
  const value: unknown = await response.json().catch(() => undefined);
  if (typeof value !== 'object' || value === null) return fallback;
  const given = (name: string): unknown => Object.entries(value).find(([key]) => key === name)?.[1];
  const textOf = (name: string): string | undefined => {
    const found = given(name);
    return typeof found === 'string' ? found : undefined;
  };
  return { server: textOf('server'), bundle: textOf('bundle'), webgpu: given('webgpu') === true };
}

/** The folder of a model's bundle. */
export function bundleAddress(page: URL, bundle: string, model: string): URL {
  return new URL(bundle.replace('{model}', encodeURIComponent(model)), page);
}
