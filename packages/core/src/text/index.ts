export { createDictionary, type Dictionary } from './dictionary.ts';
export { createEditDistanceIndex, type EditDistanceIndex } from './edit-distance-index.ts';
export { escapeControlCharacters } from './escape-control-characters.ts';
export {
  createNearestNames,
  foldName,
  type NearestNames,
  type NearMatch,
  nearestNames,
  offerNames,
} from './nearest.ts';
export { pageIcon, pageMark, pageStyle, pageTokens } from './page-style.ts';
export { quoteArgument } from './quote-argument.ts';
