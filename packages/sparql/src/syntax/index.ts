export { textLimits } from './check-text.ts';
export { parseSyntax } from './parse-syntax.ts';
export type { ParsedText } from './parsed-text.ts';
