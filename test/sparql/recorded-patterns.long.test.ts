import { createRandom } from '@fuzzqe/core';
import { type Condition, checkPattern, type Pattern, planPattern, type Term } from '@fuzzqe/core/query';
import { answerPattern, createSetLogic, recordedState } from '@fuzzqe/core/sets';
import { someGraph, somePattern } from '@fuzzqe/core/testing';
import oxigraph from 'oxigraph';
import { expect, it } from 'vitest';

const iri = (kind: string, id: number): string => `<urn:${kind}:${id}>`;

/** A condition as SPARQL; a relation with an odd id is the inverse of the relation before. */
function written(condition: Condition): string {
  const term = (given: Term): string =>
    'variable' in given ? `?v${given.variable}` : iri('e', given.entity);
  switch (condition.op) {
    case 'link': {
      const [from, to] = [term(condition.from), term(condition.to)];
      const relation = iri('r', condition.relation - (condition.relation % 2));
      return condition.relation % 2 === 0 ? `${from} ${relation} ${to} .` : `${to} ${relation} ${from} .`;
    }
    case 'same':
      return `FILTER(${term(condition.left)} = ${term(condition.right)})`;
    case 'not': {
      const { operand } = condition;
      if (operand.op === 'same') return `FILTER(${term(operand.left)} != ${term(operand.right)})`;
      return `FILTER NOT EXISTS { ${written(operand)} }`;
    }
    case 'or':
      return condition.operands.map((operand) => `{ ${written(operand)} }`).join(' UNION ');
    case 'and':
      return condition.operands.map((operand) => written(operand)).join('\n');
    default:
      throw new TypeError('no such condition is drawn');
  }
}

function query({ answers, where }: Pattern): string {
  const group = `{ ${written(where)} }`;
  if (answers.length === 0) return `ASK ${group}`;
  return `SELECT DISTINCT ${answers.map((variable) => `?v${variable}`).join(' ')} WHERE ${group}`;
}

it('2000 patterns have the recorded answers that Oxigraph gives', async () => {
  const random = createRandom('patterns of facts');
  let [compared, many, closed] = [0, 0, 0];
  while (compared < 2000) {
    const entityCount = 6 + random.below(30);
    const graph = someGraph(random, entityCount, 6, entityCount * (2 + random.below(4)));
    const store = new oxigraph.Store();
    const triples = graph.forwardTriples();
    for (let at = 0; at < triples.length; at += 3) {
      const [head, relation, tail] = [triples[at]!, triples[at + 1]!, triples[at + 2]!];
      store.add(
        oxigraph.triple(
          oxigraph.namedNode(`urn:e:${head}`),
          oxigraph.namedNode(`urn:r:${relation}`),
          oxigraph.namedNode(`urn:e:${tail}`),
        ),
      );
    }
    const state = recordedState(graph, { logic: createSetLogic('product') });
    for (let drawn = 0; drawn < 40; drawn += 1) {
      const pattern = somePattern(random, { entityCount, relationCount: 6, variables: 4, atoms: 4 });
      try {
        checkPattern(pattern, graph);
      } catch {
        continue;
      }
      const limits = { k: 100_000, links: 1_000_000, width: entityCount, predicted: 0 };
      const found = await answerPattern(state, planPattern(pattern), limits);
      const count = pattern.answers.length;
      const given = store.query(query(pattern));
      compared += 1;
      if (typeof given === 'boolean') {
        closed += 1;
        expect(found.degrees.length > 0, query(pattern)).toBe(given);
        continue;
      }
      const rows = (given as Map<string, { value: string }>[]).map((row) =>
        pattern.answers.map((variable) => row.get(`v${variable}`)!.value.slice('urn:e:'.length)).join(' '),
      );
      const tuples = Array.from(found.degrees, (_, i) =>
        found.tuples.subarray(i * count, (i + 1) * count).join(' '),
      );
      expect(tuples.sort(), query(pattern)).toEqual(rows.sort());
      many = Math.max(many, rows.length);
    }
  }
  expect(many).toBeGreaterThan(20);
  expect(closed).toBeGreaterThan(100);
});
