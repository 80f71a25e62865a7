import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { DialogButton } from '../../controls/dialog-button.tsx';
import { Sheet } from '../../controls/sheet.tsx';
import {
  deleteQuestion,
  isSavedQuestion,
  renameQuestion,
  type SavedQuestion,
  saveQuestion,
} from '../../question/saved-questions.ts';
import { useKeptList } from '../../storage/use-kept-list.ts';
import type { PageState } from '../page-state.ts';

/** The questions that this browser keeps under names: to save the question, and to open, rename and delete others. */
export function SavedQuestions({
  name: suggested,
  address,
}: {
  /** What the question is called unless another name is typed; nothing where there is nothing to save. */
  readonly name: string | undefined;
  readonly address: PageState['address'];
}): JSX.Element {
  const [list, change] = useKeptList('fuzzqe-questions', isSavedQuestion);
  const dialog = useRef<HTMLDialogElement>(null);
  /** The button that was pressed goes away, and would take the focus along. */
  const focusTitle = (): void => dialog.current?.querySelector('h2')?.focus();
  const [typed, setTyped] = useState<string>();
  const [deleted, setDeleted] = useState<SavedQuestion>();
  const name = typed ?? suggested ?? '';
  const save = async (): Promise<void> => {
    const { hash } = new URL(await address());
    setTyped(undefined);
    setDeleted(undefined);
    change((now) => saveQuestion(now, { name, hash }));
  };
  const remove = (saved: SavedQuestion): void => {
    focusTitle();
    setDeleted(saved);
    change((now) => deleteQuestion(now, saved));
  };
  const restore = (saved: SavedQuestion): void => {
    focusTitle();
    setDeleted(undefined);
    change((now) => saveQuestion(now, saved));
  };
  return (
    <>
      <DialogButton title="Saved" onOpen={() => dialog.current?.showModal()} />
      <Sheet dialog={dialog} title="Saved questions">
        {suggested === undefined ? null : (
          <NameForm
            label="Name of this question"
            action="Save"
            {...{ name }}
            onType={setTyped}
            onDone={save}
          />
        )}
        {list.length === 0 ? (
          <p class="soft small">No question is saved. They stay in this browser.</p>
        ) : null}
        <ul class="saved">
          {list.map((saved) => (
            <Saved
              key={saved.name}
              saved={saved}
              onOpen={() => dialog.current?.close()}
              onRename={(next) => change((now) => renameQuestion(now, saved, next))}
              onDelete={() => remove(saved)}
            />
          ))}
        </ul>
        <p class="small soft" role="status">
          {deleted === undefined ? null : (
            <>
              Deleted: {deleted.name}{' '}
              <button type="button" class="button" onClick={() => restore(deleted)}>
                Undo
              </button>
            </>
          )}
        </p>
      </Sheet>
    </>
  );
}

function Saved({
  saved,
  onOpen,
  onRename,
  onDelete,
}: {
  readonly saved: SavedQuestion;
  readonly onOpen: () => void;
  readonly onRename: (name: string) => void;
  readonly onDelete: () => void;
}): JSX.Element {
  /** What is typed while it is renamed. */
  const [typed, setTyped] = useState<string>();
  return (
    <li>
      {typed === undefined ? (
        <a href={saved.hash} onClick={onOpen}>
          {saved.name}
        </a>
      ) : (
        <NameForm
          label={`New name of: ${saved.name}`}
          action="Rename"
          name={typed}
          focus
          onType={setTyped}
          onDone={() => {
            setTyped(undefined);
            onRename(typed);
          }}
        />
      )}
      <span class="actions">
        <button
          type="button"
          class="button plain"
          aria-label={`Rename: ${saved.name}`}
          aria-expanded={typed !== undefined}
          onClick={() => setTyped(typed === undefined ? saved.name : undefined)}
        >
          Rename
        </button>
        <button type="button" class="button plain" aria-label={`Delete: ${saved.name}`} onClick={onDelete}>
          Delete
        </button>
      </span>
    </li>
  );
}

function NameForm({
  label,
  action,
  name,
  focus = false,
  onType,
  onDone,
}: {
  readonly label: string;
  readonly action: string;
  readonly name: string;
  readonly focus?: boolean;
  readonly onType: (name: string) => void;
  readonly onDone: () => unknown;
}): JSX.Element {
  return (
    <form
      class="key-row"
      onSubmit={(event) => {
        event.preventDefault();
        void onDone();
      }}
    >
      <input
        ref={(field) => {
          if (focus && field !== null && document.activeElement !== field) field.focus();
        }}
        class="field"
        type="text"
        aria-label={label}
        required
        value={name}
        onInput={(event) => onType(event.currentTarget.value)}
      />
      <button type="submit" class="button primary">
        {action}
      </button>
    </form>
  );
}
