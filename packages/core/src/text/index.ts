export { escapeControlCharacters } from './escape-control-characters.ts';
