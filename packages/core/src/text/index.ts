export { escapeControlCharacters } from './escape-control-characters.ts';
export { pageStyle } from './page-style.ts';
export { pageTokens, shortPageStyle } from './short-page-style.ts';
