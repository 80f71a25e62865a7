/** What the address of a collector is, for messages. */
export const collectorForm =
  'the http or https address of a collector without /v1/traces, such as http://localhost:4318';

/** The path that an exporter adds. */
const tracesPath = '/v1/traces';

/** Whether a text is the address of a collector that takes OTLP over HTTP, before the path of traces. */
export function isCollectorAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { pathname, search, hash } = new URL(text);
  return search === '' && hash === '' && !pathname.replace(/\/+$/, '').endsWith(tracesPath);
}

/** Where traces go by the address of a collector. */
export function tracesAddress(endpoint: string): string {
  return `${endpoint.replace(/\/+$/, '')}${tracesPath}`;
}
