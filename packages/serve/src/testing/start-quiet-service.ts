import { type Service, type ServiceOptions, startService } from '../service/start-service.ts';
import { readSettings } from '../settings/read-settings.ts';
import { createLog } from '../telemetry/log.ts';

/** A service that writes its log into a text. */
export interface QuietService {
  readonly service: Service;
  /** All lines so far. */
  logged(): string;
}

/** Starts a service for a test: on a free port, without worker threads, unless `flags` say otherwise. */
export async function startQuietService({
  flags = {},
  ...options
}: Partial<Omit<ServiceOptions, 'settings' | 'log'>> & {
  readonly flags?: Record<string, string>;
}): Promise<QuietService> {
  let text = '';
  const log = createLog({
    write: (line) => {
      text += line;
    },
  });
  const settings = await readSettings({
    flags: { port: '0', workers: '0', closeNotice: '0', ...flags },
    environment: {},
  });
  const service = await startService({ bundles: [], ...options, settings, log });
  return { service, logged: () => text };
}
