import { RequestError } from './request-error.ts';

/** Refuses the method of a request, by those that its path is answered to, as the header `Allow` lists them. */
export function methodError(
  { path, method }: { readonly path: string; readonly method: string },
  allow: string,
  hint: string,
): RequestError {
  return new RequestError('method', `${path}: expected ${allow}, got ${method}`, hint, { allow });
}
