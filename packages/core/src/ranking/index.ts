export { type Average, type AverageName, averageNames, averages } from './averages.ts';
export { highest } from './highest.ts';
export {
  type AverageMetrics,
  createMetrics,
  type MetricsAccumulator,
  type MetricsReport,
  meanMetrics,
  type RankingMetrics,
  type StructureMetrics,
} from './metrics.ts';
export { filteredRanks } from './rank.ts';
export { type TopK, topK } from './top-k.ts';
