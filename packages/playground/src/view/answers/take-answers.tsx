import type { SetsAnswer } from '@fuzzqe/engine';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type AnswerFile, writeAnswers } from '../../ask/write-answers.ts';

/** Downloads the answers as CSV or JSON, or copies them as text. */
export function TakeAnswers({ answer }: { readonly answer: SetsAnswer }): JSX.Element {
  const [said, setSaid] = useState('');
  const download = (form: AnswerFile): void => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([writeAnswers(answer, form)]));
    link.download = `answers.${form}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(writeAnswers(answer, 'txt'));
      setSaid('Copied');
    } catch {
      // Pages without TLS have no clipboard.
      setSaid('This browser does not let the page copy');
    }
  };
  return (
    <div class="take">
      <button type="button" class="button plain" onClick={() => download('csv')}>
        CSV
      </button>
      <button type="button" class="button plain" onClick={() => download('json')}>
        JSON
      </button>
      <button type="button" class="button plain" onClick={() => void copy()}>
        Copy answers
      </button>
      <span class="small soft" role="status">
        {said}
      </span>
    </div>
  );
}
