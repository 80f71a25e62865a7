import { type Manifest, readManifest } from '@fuzzqe/bundle';
import { openEngine } from '@fuzzqe/engine';
import type { ServedModel } from '@fuzzqe/export';
import { folderSource } from '@fuzzqe/serve';
import { type BackendName, createDeviceTensors, type DeviceTensors, openBackend } from '@fuzzqe/tfjs';
import { openProfileWeights } from '../reference/profile-weights.ts';
import { type Answerer, type ParityTarget, rankerAnswerer } from './runtime.ts';
import { tfjsSessions } from './tfjs-sessions.ts';

/**
 * An engine that tfjs answers for: by the tensor programs that the graphs were emitted from, on the weights of the bundle.
 *
 * All weights of the profile are on the device at once, in four bytes a number whatever the profile stores.
 */
export async function openTfjsAnswerer(target: ParityTarget, name: BackendName): Promise<Answerer> {
  const { directory, profile } = target;
  const source = folderSource(directory);
  const manifest = await readManifest(source);
  const backend = await openBackend(name);
  const tensors = createDeviceTensors(backend);
  const free = async (): Promise<void> => {
    tensors.close();
    await backend.close();
  };
  try {
    const served = await uploadWeights(tensors, target, manifest);
    const sessions = tfjsSessions(manifest.profiles[profile]!, served, tensors);
    // Files are compared with their digests once, before any runtime is opened.
    const { ranker } = await openEngine({ source, sessions, profile, verify: false });
    return rankerAnswerer(ranker, () => ranker.close().finally(free));
  } catch (cause) {
    await free();
    throw cause;
  }
}

/** Copies the weights of a profile to the device, and gives the model that reads them. */
async function uploadWeights(
  tensors: DeviceTensors,
  { directory, profile }: ParityTarget,
  manifest: Manifest,
): Promise<ServedModel> {
  const config = manifest.model;
  const weights = await openProfileWeights(directory, profile, manifest);
  try {
    const values = await weights.values(Array.from({ length: config.relations }, (_, id) => id));
    for (const { name, dtype } of weights.profile.tensors(config)) tensors.write(name, values[name]!, dtype);
    return weights.profile.model(config);
  } finally {
    await weights.close();
  }
}
