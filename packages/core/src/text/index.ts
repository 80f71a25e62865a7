export { escapeControlCharacters } from './escape-control-characters.ts';
export { pageIcon, pageMark, pageStyle, pageTokens } from './page-style.ts';
export { quoteArgument } from './quote-argument.ts';
