// Loads TensorFlow.js's Node package from a folder in place of the installed one.
import { pathToFileURL } from 'node:url';

const installed = '/node_modules/@tensorflow/tfjs-node-gpu/';
let replacement;

export function initialize(folder) {
  replacement = `${pathToFileURL(folder)}/`;
}

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const at = found.url.indexOf(installed);
  return at < 0 ? found : { ...found, url: replacement + found.url.slice(at + installed.length) };
}
