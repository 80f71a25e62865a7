import { FuzzError, type FuzzErrorCode } from '../errors.ts';
import { describeValue } from './describe-value.ts';

/**
 * Refuses what is no object of options, and one that lacks what a function cannot do without, of callers without types.
 *
 * @param call the name of the function.
 * @param needed what is not looked at in its own place.
 * @throws FuzzError with the given code.
 */
export function expectOptions<Options extends object>(
  call: string,
  options: Options,
  needed: readonly (keyof Options & string)[],
  code: FuzzErrorCode = 'usage',
): void {
  const hint = `${call} needs an object${needed.length === 0 ? '' : ` with ${needed.join(', ')}`}.`;
  if (typeof options !== 'object' || options === null)
    throw new FuzzError(code, `options of ${call}: expected an object, got ${describeValue(options)}`, {
      path: '$',
      hint,
    });
  for (const name of needed)
    if (options[name] === undefined)
      throw new FuzzError(code, `options of ${call}: expected ${name}, got nothing`, {
        path: `$.${name}`,
        hint,
      });
}
