import type { BackendName } from './backend.ts';
import { openBackend } from './open-backend.ts';

/** Whether a backend works here. */
export type BackendProbe =
  | { readonly available: true; readonly description: string; readonly adapter?: string }
  | { readonly available: false; readonly reason: string };

/** Opens a backend, and closes it again. */
export async function probeBackend(name: BackendName): Promise<BackendProbe> {
  try {
    const backend = await openBackend(name);
    await backend.close();
    const { description, adapter } = backend;
    return { available: true, description, ...(adapter === undefined ? {} : { adapter }) };
  } catch (cause) {
    return { available: false, reason: cause instanceof Error ? cause.message : String(cause) };
  }
}
