/** What `fuzzqe-browser.js` exports, for its types. */
export { FuzzError } from '@fuzzqe/core';
export { formatQuery, parseQueryText } from '@fuzzqe/core/query';
export * from './index.ts';
