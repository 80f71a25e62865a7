import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { DialogButton } from '../../controls/dialog-button.tsx';
import { remove } from '../../question/edits.ts';
import type { PageState } from '../page-state.ts';

const shortcuts: readonly (readonly [keys: string, meaning: string])[] = [
  ['/ or Ctrl-K', 'search'],
  ['Delete', 'remove the selected part'],
  ['Ctrl-Z', 'undo'],
  ['Shift-Ctrl-Z', 'redo'],
  ['?', 'this list'],
];

/** The keys of the page, and the list of them. */
export function Shortcuts({ state }: { readonly state: PageState }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, target } = event;
      const isChord = event.ctrlKey || event.metaKey;
      if (document.querySelector('dialog[open]') !== null || event.altKey) return;
      const isTyping =
        target instanceof HTMLTextAreaElement ||
        (target instanceof HTMLInputElement && !['checkbox', 'radio', 'range'].includes(target.type));
      if (isChord ? key.toLowerCase() === 'k' : key === '/' && !isTyping) {
        event.preventDefault();
        document.querySelector<HTMLElement>('main [role=combobox], main textarea')?.focus();
      } else if (isTyping || isChord) return;
      else if (key === '?') dialog.current?.showModal();
      else if (key === 'Delete' && state.tab.peek() === 'patterns') state.pattern.removeSelected();
      else if (key === 'Delete' && state.tab.peek() === 'ask')
        state.change(remove(state.question.peek(), state.selectedPart.peek().key));
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [state]);
  return (
    <>
      <DialogButton title="Shortcuts" onOpen={() => dialog.current?.showModal()} />
      <dialog ref={dialog} class="shortcuts" aria-label="Shortcuts">
        <dl>
          {shortcuts.map(([keys, meaning]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  );
}
