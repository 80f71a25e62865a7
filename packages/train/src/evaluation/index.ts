export {
  type Baseline,
  createFrequencyBaseline,
  createKnownFactsBaseline,
  createTraversalBaseline,
} from './baselines.ts';
export { type EvaluationOptions, evaluateRanking } from './evaluate-ranking.ts';
export {
  createReport,
  formatReportMarkdown,
  formatReportText,
  type RankingReport,
  type ReportColumn,
  type ReportRow,
} from './report.ts';
export type { QueryScorer } from './scorer.ts';
