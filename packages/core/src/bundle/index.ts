export {
  type CaseComparison,
  type Comparison,
  compareCase,
  compareNumbers,
  type RankedAnswer,
} from './compare.ts';
export { graphDigest, sha256Hex } from './digest.ts';
export { decodeFacts, encodeFacts } from './facts.ts';
export type { Golden, GoldenCase } from './golden.ts';
export {
  bundleFormatVersion,
  bundlePaths,
  type FileEntry,
  type GraphEntry,
  type Manifest,
  type OperatorName,
  operatorNames,
  type Profile,
  prefixesPath,
  type TensorSignature,
  type Tolerance,
} from './manifest.ts';
export { sealManifest } from './manifest-seal.ts';
export { parseGolden } from './parse-golden.ts';
export { parseManifest } from './parse-manifest.ts';
export type { MeasuredQuality, ProfileQuality } from './profile-quality.ts';
export { readBundleText, readGolden, readManifest } from './read-bundle.ts';
export { readVocabulary } from './read-vocabulary.ts';
export { bundleVersionOf } from './repository.ts';
export {
  edgeSignature,
  edgeSlots,
  type GraphSignature,
  operatorSignature,
  programSignature,
  structureSignature,
} from './signatures.ts';
export type { BundleSource } from './source.ts';
export { type ParityTolerances, parityTolerances, profileTolerances } from './tolerances.ts';
export { verifyBundle } from './verify-bundle.ts';
