import type { ServerOptions } from '../server.ts';
import type { Settings } from '../settings/settings-table.ts';

/** What of the settings is the server's own. */
export function serverSettings(
  settings: Settings,
): Omit<ServerOptions, 'models' | 'keys' | 'rateLimit' | 'api'> {
  const { host, port, allowHost, maxConnections, maxInFlight } = settings;
  const { headersTimeout, requestTimeout, keepAliveTimeout, idleTimeout } = settings;
  const { shutdownDelay, closeNotice, drainTimeout } = settings;
  return {
    host,
    port,
    allowHost,
    maxConnections,
    maxInFlight,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    idleTimeout,
    shutdownDelay,
    closeNotice,
    drainTimeout,
  };
}
