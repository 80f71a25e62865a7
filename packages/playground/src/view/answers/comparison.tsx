import type { JSX } from 'preact';
import type { Agreement } from '../../ask/compare-answers.ts';
import type { SourceAnswer } from '../../ask/findings.ts';
import { FaultBox } from '../../controls/fault-box.tsx';
import type { PageState } from '../page-state.ts';

const places: Readonly<Record<SourceAnswer['kind'], string>> = { server: 'server', browser: 'this browser' };

/** Who answered, how long it took, and whether both said the same. */
export function Comparison({
  answers,
  agreement,
  isTextUnread,
}: {
  readonly answers: readonly Pick<SourceAnswer, 'kind' | 'ms'>[];
  readonly agreement: Agreement | undefined;
  readonly isTextUnread: boolean;
}): JSX.Element | null {
  if (answers.length === 0) return null;
  return (
    <p class="comparison small" role="status">
      {answers.map(({ kind, ms }) => (
        <span key={kind} class="soft">
          {places[kind]} <span class="number">{showTime(ms)}</span>
        </span>
      ))}
      {agreement === undefined ? null : (
        <span class={`agreement ${agreement.agree ? 'yes' : 'no'}`}>
          {agreement.agree ? `both agree within ${showDifference(agreement.difference)}` : 'they differ'}
        </span>
      )}
      {isTextUnread ? <span>These answer the graph, not the text.</span> : null}
    </p>
  );
}

function showTime(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function showDifference(difference: number): string {
  return difference <= 1e-6 ? '10⁻⁶' : difference <= 1e-5 ? '10⁻⁵' : '10⁻⁴';
}

const stages = { runtime: 'Loading the runtime', bundle: 'Loading the bundle' };

/** How far the bundle has come in this browser, where it was asked for. */
export function BrowserProgress({
  state,
  onAgain,
}: {
  readonly state: PageState;
  readonly onAgain: () => void;
}): JSX.Element | null {
  const browser = state.browser.value;
  if (state.asked.value === 'server' || browser.phase === 'closed') return null;
  if (browser.phase === 'failed') return <FaultBox fault={browser.error} onAgain={onAgain} />;
  if (browser.phase === 'open')
    return (
      <>
        {state.warnings.value.map((warning) => (
          <p class="note small" key={warning}>
            {warning}
          </p>
        ))}
      </>
    );
  const { progress } = browser;
  return (
    <div class="opening">
      <label class="small" for="opening-progress">
        {progress === undefined ? 'Loading' : stages[progress.stage]}
        {progress === undefined ? null : (
          <span class="soft number"> {(progress.done / 1e6).toFixed(1)} MB</span>
        )}
      </label>
      <progress
        id="opening-progress"
        max={1}
        value={progress === undefined ? 0 : progress.done / Math.max(progress.of, 1)}
      />
    </div>
  );
}
