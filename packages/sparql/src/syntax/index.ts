export { textLimits } from './check-text.ts';
export { parseSyntax } from './parse-syntax.ts';
export type { ParsedText, TextUnits } from './parsed-text.ts';
