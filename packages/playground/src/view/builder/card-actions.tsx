import type { JSX } from 'preact';
import { ConfirmButton } from '../../controls/confirm-button.tsx';
import type { PageState } from '../page-state.ts';
import { Action } from './action.tsx';
import { type ExportedAs, ExportMenu } from './export-menu.tsx';
import { SavedQuestions } from './saved-questions.tsx';
import { ShareButton } from './share-button.tsx';

/** What can be done with everything that is asked: to undo, to begin anew, to keep it and to take it along. */
export function CardActions({
  state,
  edited,
  name,
  exported,
  clear: { what, isPossible, asks = true, act },
}: {
  readonly state: PageState;
  readonly edited: Pick<PageState, 'canRedo' | 'canUndo' | 'redo' | 'undo'>;
  /** What it is called unless another name is typed; nothing where there is nothing to save. */
  readonly name: string | undefined;
  readonly exported: ExportedAs;
  readonly clear: {
    /** What is asked before: `Clear the question?` */
    readonly what: string;
    readonly isPossible: boolean;
    /** Whether there is something to lose. */
    readonly asks?: boolean;
    readonly act: () => void;
  };
}): JSX.Element {
  return (
    <div class="actions">
      <Action title="Undo" isPossible={edited.canUndo.value} act={edited.undo} />
      <Action title="Redo" isPossible={edited.canRedo.value} act={edited.redo} />
      <ConfirmButton
        title="Start over"
        question={what}
        kind="plain"
        isPossible={isPossible}
        asks={asks}
        onConfirm={act}
      />
      <SavedQuestions name={name} address={state.address} />
      <ShareButton state={state} />
      <ExportMenu state={state} exported={exported} />
    </div>
  );
}
