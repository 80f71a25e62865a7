import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { encodeFacts } from './facts.ts';
import { platform } from './platform.ts';

/** SHA-256 of bytes, as 64 lower-case hexadecimal digits. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await platform.crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What tells one graph from another: the SHA-256 of its facts as `facts.bin` holds them. */
export function graphDigest(graph: KnowledgeGraph): Promise<string> {
  return sha256Hex(encodeFacts(graph.forwardTriples()));
}
