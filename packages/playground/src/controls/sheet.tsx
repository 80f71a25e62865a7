import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useId } from 'preact/hooks';

/** A dialog with a title, which closes by its button, by Escape and by a press outside of it. */
export function Sheet({
  dialog,
  title,
  children,
}: {
  readonly dialog: RefObject<HTMLDialogElement | null>;
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const id = useId();
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-labelledby={id}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) currentTarget.close();
      }}
      // Keys of the page stay out of it.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="sheet-body">
        <header class="card-head">
          <h2 id={id} tabIndex={-1}>
            {title}
          </h2>
          <button type="button" class="button plain" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
