import { type BackendName, backendNames } from '../backend/backend.ts';
import { probeBackend } from '../backend/open-backend.ts';
import { softwareVulkan } from './software-vulkan.ts';

/** A backend that cannot be tested here. */
export interface AbsentBackend {
  readonly name: BackendName;
  readonly reason: string;
}

/**
 * The backends that can be tested here, `webgpu` on a software renderer, and why the others cannot.
 *
 * @throws Error: `FUZZQE_REQUIRE_RUNTIMES` is set and one other than `tensorflow` is absent, so that nothing is skipped
 * unnoticed where all should be there.
 */
export async function presentBackends(): Promise<{
  readonly present: readonly BackendName[];
  readonly absent: readonly AbsentBackend[];
}> {
  softwareVulkan();
  const present: BackendName[] = [];
  const absent: AbsentBackend[] = [];
  for (const name of backendNames) {
    const probe = await probeBackend(name);
    if (probe.available) present.push(name);
    else absent.push({ name, reason: probe.reason });
  }
  const missing = absent.find(({ name }) => name !== 'tensorflow');
  if (process.env['FUZZQE_REQUIRE_RUNTIMES'] === '1' && missing !== undefined)
    throw new Error(`tfjs ${missing.name} has to be tested here: ${missing.reason}`);
  return { present, absent };
}
