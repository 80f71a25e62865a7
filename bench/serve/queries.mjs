// Queries of the 14 structures that recorded facts answer, and the requests that ask them.
import { inverseOf } from '@fuzzqe/core';
import { formatQuery, instantiate, structureNames, structures } from '@fuzzqe/core/query';

/** A query by walking backwards from an entity along recorded facts, as BetaE's sampler does. */
function draw(facts, structure, random) {
  const { template, anchors, relations } = structures[structure];
  const found = { anchors: new Array(anchors).fill(0), relations: new Array(relations).fill(0) };
  const anyEntity = () => {
    for (;;) {
      const id = random.below(facts.entityCount);
      if (facts.degree(id) > 0) return id;
    }
  };
  const fill = (node, target) => {
    switch (node.op) {
      case 'entity':
        found.anchors[node.anchor] = target;
        return;
      case 'project': {
        const leaving = facts.relationsOf(target);
        const relation = leaving[random.below(leaving.length)];
        const tails = facts.tails(target, relation);
        found.relations[node.relation] = inverseOf(relation);
        fill(node.from, tails[random.below(tails.length)]);
        return;
      }
      case 'not':
        fill(node.operand, anyEntity());
        return;
      default:
        for (const operand of node.operands) fill(operand, target);
    }
  };
  fill(template, anyEntity());
  return { structure, ...found, query: instantiate(template, found.anchors, found.relations) };
}

/** `count` queries, structures in turns. */
export function drawQueries(facts, count, random, names = structureNames) {
  return Array.from({ length: count }, (_, i) => draw(facts, names[i % names.length], random));
}

const head = (path, length, type) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

/** A request as bytes that a socket sends. */
export function postBytes(path, body, type = 'application/json') {
  const bytes = Buffer.from(JSON.stringify(body));
  return Buffer.concat([Buffer.from(head(path, bytes.length, type)), bytes]);
}

/** Requests of a server of ours. `modes` take turns from one round of the structures to the next. */
export function ourRequests(drawn, vocabulary, { modes, k = 10 }) {
  return drawn.map(({ query }, i) =>
    postBytes('/v1/query', {
      query: formatQuery(query, vocabulary),
      mode: modes[Math.floor(i / structureNames.length) % modes.length],
      k,
    }),
  );
}

/** The same for the peer in Python, by ids. */
export function peerRequests(drawn, { k = 10 } = {}) {
  return drawn.map(({ structure, anchors, relations }) =>
    postBytes('/query', { structure, anchors, relations, k }),
  );
}
