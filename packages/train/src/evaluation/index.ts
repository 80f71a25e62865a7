export {
  type Baseline,
  createFrequencyBaseline,
  createKnownFactsBaseline,
  createTraversalBaseline,
} from './baselines.ts';
export { type EvaluationOptions, type EvaluationReport, evaluateRanking } from './evaluate-ranking.ts';
export { createLinkCounter, type LinkCounter, type MissingLinks, noDerivation } from './missing-links.ts';
export {
  type PublishedFigures,
  type PublishedGraph,
  publishedFigures,
  publishedGraphs,
} from './published-figures.ts';
export {
  createReport,
  formatReportMarkdown,
  formatReportText,
  type RankingReport,
  type ReportColumn,
  type ReportRow,
} from './report.ts';
export type { QueryScorer } from './scorer.ts';
export type { StrataReport, StratumMetrics } from './stratified-metrics.ts';
