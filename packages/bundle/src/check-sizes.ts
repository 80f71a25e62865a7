import type { schema } from '@fuzzqe/core';
import { sizeOf as sizeOfShape } from '@fuzzqe/core/tensor';
import { domainShape, hasCentroids, type ModelConfig, traitsOf } from '@fuzzqe/model';
import { bundlePaths, type Manifest, modesOf, namedGraphs, type Profile, profileFiles } from './manifest.ts';

/** A graph of the largest profile is a fifth of this; numbers of a model belong into its weights. In bytes. */
export const largestGraph: number = 2 ** 20;

/**
 * Compares the counts of a manifest with the sizes of its files, so that nothing is made for more entities than have a name.
 *
 * A line of names takes five bytes at least, a stored coordinate one, a fact twelve.
 */
export function checkSizes(manifest: Manifest, report: schema.Report): void {
  const { model, files, data, profiles } = manifest;
  const { entities, relations } = model;
  for (const [path, { bytes, parts }] of Object.entries(files)) {
    if (parts === undefined) continue;
    const stored = parts.reduce((sum, part) => sum + part.bytes, 0);
    if (stored !== bytes) report(['files', path, 'parts'], `${bytes} bytes in all`, `${stored}`);
  }
  const sizeOf = (path: string): number => (Object.hasOwn(files, path) ? files[path]!.bytes : 0);
  const expectNames = (path: string, count: number): void => {
    const least = 5 * count - 1;
    if (sizeOf(path) < least)
      report(['files', path], `at least ${least} bytes for ${count} names`, `${sizeOf(path)}`);
  };
  expectNames(bundlePaths.entities, entities);
  expectNames(bundlePaths.relations, relations / 2);
  const facts = sizeOf(bundlePaths.facts);
  if (modesOf(manifest).includes('sets') && (facts === 0 || facts % 12 !== 0))
    report(
      ['files', bundlePaths.facts],
      '12 bytes for each fact, of which there is one at least',
      `${facts}`,
    );
  // Where the bundle records what was trained on, and nothing else.
  const recorded = files[bundlePaths.facts]?.sha256 === data.sha256;
  if (recorded && 6 * data.edges !== facts)
    report(['data', 'edges'], `${facts / 6}, twice the facts of the bundle`, `${data.edges}`);
  for (const [name, profile] of Object.entries(profiles))
    checkProfile(model, profile, sizeOf, (path, ...rest) => report(['profiles', name, ...path], ...rest));
}

function checkProfile(
  model: ModelConfig,
  profile: Profile,
  sizeOf: (path: string) => number,
  report: schema.Report,
): void {
  const graphs = namedGraphs(profile);
  for (const [name, { path }] of graphs)
    if (sizeOf(path) > largestGraph)
      report([name], `a graph of at most ${largestGraph} bytes`, `${sizeOf(path)}`);
  const weights = [...new Set(graphs.flatMap(([, graph]) => graph.weights))];
  const stored = weights.reduce((total, path) => total + sizeOf(path), 0);
  const [least, most] = weightBytes(model);
  if (stored < least || stored > most)
    report(['rank', 'weights'], `${least} to ${most} bytes of weights for this model`, `${stored}`);
  const total = profileFiles(profile).reduce((sum, path) => sum + sizeOf(path), 0);
  if (profile.bytes !== total) report(['bytes'], `${total}, the sum of its files`, `${profile.bytes}`);
}

/** How many bytes any stored form of a model takes at least and at most: a byte a coordinate, four a number with all scales. */
function weightBytes(model: ModelConfig): [number, number] {
  const { entities, relations, dimension: d, bases } = model;
  const matrix = d * d + 2 * d;
  const { hasMatrices, distances } = traitsOf(model);
  // Layers of families by distances have less than 3d² numbers.
  const ofRelations =
    hasMatrices || distances ? (relations + bases) * matrix + relations * bases : relations * d;
  const ofDomains = hasCentroids(model) ? 2 * sizeOfShape(domainShape(model)) : 0;
  const numbers = entities * (d + 2) + ofRelations + ofDomains;
  // The vector of an entity has d / 12 numbers at least.
  return [(entities * d) / (distances ? 3 : 1), 4 * numbers + 2 ** 16];
}
