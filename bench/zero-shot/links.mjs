import { createRandom } from '@fuzzqe/core';
import { enumerateProjections, someQueries } from '@fuzzqe/data';
import { closedGraph, drawLinks, entailedGraph, factsBeyond } from '@fuzzqe/evidence';

/** What evidence is fitted on: training facts, with the validation facts hidden. */
export function hiddenOf(dataset) {
  const { train, trainValid } = dataset.graphs();
  const entailed = entailedGraph(train, dataset.vocabulary);
  const larger = closedGraph(trainValid, entailedGraph(trainValid, dataset.vocabulary));
  return { facts: train, entailed, hidden: factsBeyond(larger, closedGraph(train, entailed)) };
}

/** A third of the links that `fuzzqe calibrate` fits weights on, drawn in the same way. */
export function linksOfFit(dataset, typeRelations) {
  const { facts, hidden } = hiddenOf(dataset);
  return drawLinks({
    ...{ facts, hidden, rejected: dataset.rejected, typeRelations },
    ...{ random: createRandom('links', 'valid'), withFact: 400, without: 500 },
  });
}

/** Links of test facts in both directions, with training and validation facts recorded; 500 of them where there are more. */
export function testLinks(dataset, most = 500) {
  const { trainValid, full } = dataset.graphs();
  const all = enumerateProjections({ smaller: trainValid, larger: full });
  return all.count <= most ? all : someQueries(all, most);
}
