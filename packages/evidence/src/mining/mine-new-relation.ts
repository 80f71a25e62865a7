import { createRandom, type KnowledgeGraph, keptBy } from '@fuzzqe/core';
import type { RuleSet } from '../rules/rule-set.ts';
import { createRelationMiner, noRules, rulesOf } from './mine-relation.ts';

/** The round whose sizes bound the work: later rounds rank hardly better, and a query waits for this round. */
const onlyRound = 0;

const minerOf = keptBy((index: KnowledgeGraph['index']) => createRelationMiner({ index }));

/**
 * Mines the rules of one relation 2k and of its inverse in one round, from the facts that the index of a graph has.
 *
 * Paths are sought between the ends of 48 facts, and the 48 most frequent paths are judged on 48 heads. Chance depends on the relation alone, so the
 * same facts give the same rules.
 */
export function mineNewRelation({ index, relationCount }: KnowledgeGraph, relation: number): RuleSet {
  const mined = minerOf(index)(relation, onlyRound, createRandom('new relation', relation), [
    noRules,
    noRules,
  ]);
  return { relationCount, rules: rulesOf(relation, mined) };
}
