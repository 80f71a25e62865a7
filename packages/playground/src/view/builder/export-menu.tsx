import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ExportForm, exportForms, exportQuestion } from '../../question/exporters.ts';
import { toQuery } from '../../question/to-query.ts';
import { faultOf } from '../../sources/answer-source.ts';
import type { PageState } from '../page-state.ts';

/** Shows the question as a request, a command or a program, to be copied. */
export function ExportMenu({ state }: { readonly state: PageState }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [form, setForm] = useState<ExportForm>('curl');
  const [text, setText] = useState('');
  const [isCopied, setCopied] = useState(false);
  /** Counts what was asked for: what comes later than something newer is no longer wanted. */
  const turn = useRef(0);
  const question = state.question.value;
  const show = async (wanted: ExportForm): Promise<void> => {
    setForm(wanted);
    setCopied(false);
    turn.current += 1;
    const own = turn.current;
    const exported = {
      question,
      settings: state.possible.value,
      api: state.apiAddress,
      withKey: state.hasKey(),
    };
    const written = await exportQuestion(wanted, exported, state.naming).catch(
      (error: unknown) => faultOf(error).message,
    );
    if (own !== turn.current) return;
    setText(written);
    if (dialog.current?.open === false) dialog.current.showModal();
  };
  useEffect(() => {
    turn.current += 1;
    dialog.current?.close();
  }, [question]);
  return (
    <>
      <button
        type="button"
        class="button plain"
        disabled={toQuery(question) === undefined}
        aria-haspopup="dialog"
        onClick={() => void show(form)}
      >
        Export
      </button>
      <dialog
        ref={dialog}
        class="export-dialog"
        aria-labelledby="export-title"
        onClick={({ target, currentTarget }) => {
          if (target === currentTarget) currentTarget.close();
        }}
        onKeyDown={(event) => event.stopPropagation()}
      >
        <div class="export-dialog-body">
          <header class="card-head">
            <h2 id="export-title">Ask this elsewhere</h2>
            <button type="button" class="button plain" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </header>
          <fieldset class="places">
            <legend class="hidden">Form</legend>
            <div class="choices">
              {exportForms.map((each) => (
                <label key={each}>
                  <input
                    type="radio"
                    name="export"
                    checked={each === form}
                    onChange={() => void show(each)}
                  />
                  {each}
                </label>
              ))}
            </div>
          </fieldset>
          <textarea
            class="field mono"
            aria-label={`The question as ${form}`}
            readOnly
            rows={12}
            value={text}
          />
          <button
            type="button"
            class="button primary"
            onClick={() =>
              void navigator.clipboard.writeText(text).then(
                () => setCopied(true),
                () => setCopied(false),
              )
            }
          >
            <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
          </button>
        </div>
      </dialog>
    </>
  );
}
