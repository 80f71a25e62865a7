import { createDataset } from '@fuzzqe/data';
import { closedGraph, entailedGraph, factsBeyond } from '@fuzzqe/evidence';

/** The data set in which a fact that declared axioms entail of the facts before it is not held out: it is no prediction. */
export function closedDataset(dataset) {
  const { vocabulary } = dataset;
  const { train, trainValid, full } = dataset.graphs();
  const [first, second, all] = [train, trainValid, full].map((graph) =>
    closedGraph(graph, entailedGraph(graph, vocabulary)),
  );
  return createDataset({
    ...dataset,
    ...{ train: first.forwardTriples(), valid: factsBeyond(second, first), test: factsBeyond(all, second) },
  });
}
