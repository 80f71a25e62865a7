import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { download } from '../../controls/download.ts';

/** Downloads the answers in each form, or copies them. */
export function TakeAnswers({
  files,
  copied,
  copyTitle = 'Copy answers',
}: {
  /** The text of each file, by its ending. */
  readonly files: Readonly<Record<string, () => string>>;
  readonly copied: () => string;
  readonly copyTitle?: string;
}): JSX.Element {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(copied());
      setSaid('Copied');
    } catch {
      // Pages without TLS have no clipboard.
      setSaid('This browser does not let the page copy');
    }
  };
  return (
    <div class="take">
      {Object.entries(files).map(([form, write]) => (
        <button
          key={form}
          type="button"
          class="button plain"
          onClick={() => download(`answers.${form}`, write())}
        >
          {form.toUpperCase()}
        </button>
      ))}
      <button type="button" class="button plain" onClick={() => void copy()}>
        {copyTitle}
      </button>
      <span class="small soft" role="status">
        {said}
      </span>
    </div>
  );
}
