import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { DialogButton } from '../../controls/dialog-button.tsx';
import { FaultBox } from '../../controls/fault-box.tsx';
import { Sheet } from '../../controls/sheet.tsx';
import { type Exported, type ExportForm, exportQuestion } from '../../question/exporters.ts';
import { faultOf, type SourceError } from '../../sources/answer-source.ts';
import type { PageState } from '../page-state.ts';

/** What is asked, and in which forms it can be taken along. */
export interface ExportedAs extends Pick<Exported, 'asked' | 'count' | 'settings'> {
  readonly forms: readonly ExportForm[];
}

/** Shows the question as a request, a command or a program, to be copied. */
export function ExportMenu({
  state,
  exported: { forms, ...exported },
}: {
  readonly state: PageState;
  readonly exported: ExportedAs;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [form, setForm] = useState<ExportForm>('curl');
  const [written, setWritten] = useState<Written>({ text: '' });
  const [said, setSaid] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  /** Counts what was asked for: what comes later than something newer is no longer wanted. */
  const turn = useRef(0);
  const { asked } = exported;
  const show = async (wanted: ExportForm): Promise<void> => {
    setForm(wanted);
    setSaid('');
    turn.current += 1;
    const own = turn.current;
    const at = { api: state.apiAddress, withKey: state.hasKey() };
    const next = await exportQuestion(wanted, { ...exported, ...at }, state.naming).then(
      (text): Written => ({ text }),
      (error: unknown): Written => ({ fault: faultOf(error) }),
    );
    if (own !== turn.current) return;
    setWritten(next);
    if (dialog.current?.open === false) dialog.current.showModal();
  };
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      // Pages without TLS may not write there, and have no clipboard at all.
      field.current?.focus();
      field.current?.select();
      setSaid('Selected: copy it with the keys');
    }
  };
  useEffect(() => {
    turn.current += 1;
    dialog.current?.close();
  }, [JSON.stringify(asked)]);
  return (
    <>
      <DialogButton title="Export" isPossible={asked !== undefined} onOpen={() => void show(form)} />
      <Sheet dialog={dialog} title="Ask this elsewhere">
        <fieldset class="places">
          <legend class="hidden">Form</legend>
          <div class="choices">
            {forms.map((each) => (
              <label key={each}>
                <input type="radio" name="export" checked={each === form} onChange={() => void show(each)} />
                {each}
              </label>
            ))}
          </div>
        </fieldset>
        {'fault' in written ? (
          <FaultBox fault={written.fault} onAgain={() => void show(form)} />
        ) : (
          <>
            <textarea
              ref={field}
              class="field mono"
              aria-label={`The question as ${form}`}
              readOnly
              rows={12}
              value={written.text}
            />
            <div class="actions">
              <button type="button" class="button primary" onClick={() => void copy(written.text)}>
                Copy
              </button>
              <span class="copied small soft" role="status">
                {said}
              </span>
            </div>
          </>
        )}
      </Sheet>
    </>
  );
}

/** The question in the form that is wanted, or why it is not. */
type Written = { readonly text: string } | { readonly fault: SourceError };
