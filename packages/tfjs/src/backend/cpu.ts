import type { Registration } from './backend.ts';
import { initialise } from './initialise.ts';

/** Plain JavaScript: present everywhere, and slow. */
export async function registerCpu(): Promise<Registration> {
  await import('@tensorflow/tfjs-backend-cpu');
  await initialise('cpu');
  return { description: 'tfjs cpu' };
}
