import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';

/** What (9) counts of links: recorded tails (n_hr), and the entities with recorded heads (κ_r). */
export type LinkCounts = Pick<KnowledgeGraph, 'tails' | 'headsOf' | 'index' | 'relationCount'>;
