import { readFileSync, readlinkSync } from 'node:fs';

/**
 * The boot of this machine and the numbers of processes that this one sees: a container has its own. Undefined where the system does not
 * say.
 *
 * @example
 * const isHere = claim.machine === thisMachine();
 */
export function thisMachine(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}
