export {
  type CaseNames,
  type CombinedCase,
  combinedCaseOf,
  combinedCases,
  combinedNames,
  combinedSignature,
} from './combined-graph.ts';
export {
  type CaseComparison,
  type Comparison,
  compareCase,
  compareNumbers,
  compareRanking,
  type Ranked,
  type RankedAnswer,
} from './compare.ts';
export { type EdgeMemory, edgeMemory } from './edge-memory.ts';
export { decodeFacts, encodeFacts, graphDigest } from './facts.ts';
export { type Golden, type GoldenCase, type GoldenSet, hasGoldenSet, manyEntities } from './golden.ts';
export {
  edgeSignature,
  edgeSlots,
  type GraphSignature,
  linksSignature,
  operatorSignature,
  programSignature,
  rankSignature,
  structureSignature,
} from './graph-signatures.ts';
export { joinParts } from './join-parts.ts';
export {
  type AnswerMode,
  aliasesPath,
  answerModes,
  attributesPath,
  attributeValuesPath,
  bundleFormatVersion,
  bundlePaths,
  bundleVersionOf,
  comparesEntities,
  type EvidenceFit,
  entailedPath,
  type FileEntry,
  type FilePart,
  type GraphEntry,
  isCombined,
  type ListedFile,
  type Manifest,
  modesOf,
  namedGraphs,
  type OperatorGraphs,
  type OperatorName,
  operatorNames,
  type Profile,
  prefixesPath,
  profileFiles,
  profileGraphs,
  profileOf,
  provenancePath,
  type SetsEntry,
  storedFiles,
  type TensorSignature,
  type Tolerance,
} from './manifest.ts';
export { sealManifest } from './manifest-seal.ts';
export { keyName, publicKeyOf, signaturePath } from './manifest-signature.ts';
export { parseGolden } from './parse-golden.ts';
export { parseManifest, setsEntrySchema } from './parse-manifest.ts';
export { sha256Hex } from './platform.ts';
export type { MeasuredQuality, ProfileQuality, QualityChange } from './profile-quality.ts';
export { readBundleAttributes } from './read-attributes.ts';
export type { BundleSource, ManifestOptions } from './read-bundle.ts';
export { readBundleText, readGolden, readManifest } from './read-bundle.ts';
export { readBundleProvenances } from './read-provenances.ts';
export { readVocabulary } from './read-vocabulary.ts';
export type { Reliability, ReliabilityBin } from './reliability.ts';
export { type ParityTolerances, parityTolerances, profileTolerances, tolerancesOf } from './tolerances.ts';
export { compareWhenUsed, verifyBundle, verifyProfile } from './verify-bundle.ts';
