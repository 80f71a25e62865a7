import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { faultOf } from '../../sources/answer-source.ts';
import { PickerRow } from './picker-row.tsx';

/** Something that can be picked. */
export interface PickerOption<T> {
  /** Another for each option of a list. */
  readonly value: T;
  readonly label: string;
  /** What tells it from others of the same label. */
  readonly detail?: string;
}

/** What a text finds. */
export interface PickerOptions<T> {
  readonly options: readonly PickerOption<T>[];
  /** How many more there are. */
  readonly more: number;
  /** What is said where there are none. Default: that nothing is called like that. */
  readonly none?: string | undefined;
  /** Stands behind the options, and has more of them found. */
  readonly widen?:
    | { readonly label: string; readonly detail: string; readonly onWiden: () => void }
    | undefined;
}

/** A field in which a name is found by typing. */
export interface PickerProps<T extends number> {
  readonly label: string;
  readonly placeholder: string;
  /** What is found by a text; by none of it, what to begin with. */
  readonly find: (text: string, signal: AbortSignal) => Promise<PickerOptions<T>>;
  readonly onPick: (value: T) => void;
  /** Whether the list opens before anything is typed. */
  readonly opensAtOnce?: boolean;
  readonly focus?: boolean;
}

type Found<T> = PickerOptions<T> & { readonly text: string; readonly problem?: string };

/** The combobox of the ARIA Authoring Practices: arrows choose in the list, Enter picks, Escape closes. */
export function Picker<T extends number>(props: PickerProps<T>): JSX.Element {
  const { label, placeholder, find, onPick, opensAtOnce = false, focus = false } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found<T>>();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  /** Whether the next options stand where the choice to widen them stood. */
  const isWidening = useRef(false);
  const wanted = isOpen && (opensAtOnce || text.trim() !== '');

  useEffect(() => {
    if (focus) input.current?.focus();
  }, [focus]);
  useEffect(() => {
    if (!wanted) return;
    const controller = new AbortController();
    const show = (next: Found<T>): void => {
      if (controller.signal.aborted) return;
      setFound(next);
      if (!isWidening.current) setActive(0);
    };
    find(text.trim(), controller.signal).then(
      (next) => show({ ...next, text }),
      (error: unknown) => show({ options: [], more: 0, text, problem: faultOf(error).message }),
    );
    return () => controller.abort();
  }, [text, wanted, find]);
  const reveal = (index: number): void =>
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' });
  useEffect(() => {
    if (isWidening.current) reveal(active);
    isWidening.current = false;
  }, [found]);

  const options = wanted ? (found?.options ?? []) : [];
  const widen = wanted ? found?.widen : undefined;
  const count = options.length + (widen === undefined ? 0 : 1);
  const isStale = wanted && found?.text !== text;
  const pick = (index: number): void => {
    // What another text found may be replaced under the pointer.
    if (isStale) return;
    const option = options[index];
    if (option === undefined) {
      isWidening.current = widen !== undefined;
      setActive(index);
      widen?.onWiden();
      return;
    }
    setOpen(false);
    setText('');
    onPick(option.value);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setOpen(true);
      const next = (active + step + count) % Math.max(count, 1);
      setActive(next);
      reveal(next);
    } else if (event.key === 'Enter' && wanted && !isStale) {
      event.preventDefault();
      pick(active);
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div class="picker">
      <label class="picker-label" for={id}>
        {label}
      </label>
      <input
        ref={input}
        id={id}
        class="field"
        type="text"
        role="combobox"
        aria-expanded={count > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={count > 0 ? `${id}-${active}` : undefined}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={(event) => {
          isWidening.current = false;
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div class="picker-list" hidden={!wanted || found === undefined}>
        <div id={`${id}-list`} class="picker-options" role="listbox" aria-label={label} aria-busy={isStale}>
          {options.map(({ value, label: name, detail }, i) => (
            <PickerRow
              key={value}
              id={`${id}-${i}`}
              {...{ name, detail, isStale }}
              isActive={i === active}
              onPick={() => pick(i)}
            />
          ))}
          {widen === undefined ? null : (
            <PickerRow
              key="widen"
              id={`${id}-${options.length}`}
              name={widen.label}
              detail={widen.detail}
              isStale={isStale}
              isActive={active === options.length}
              widens
              onPick={() => pick(options.length)}
            />
          )}
        </div>
        {found !== undefined && wanted ? <PickerNote found={found} /> : null}
      </div>
      <span class="hidden" role="status">
        {wanted && !isStale ? `${options.length} found` : ''}
      </span>
    </div>
  );
}

function PickerNote<T>({ found }: { readonly found: Found<T> }): JSX.Element | null {
  const { options, more, text, problem, none } = found;
  if (problem !== undefined) return <p class="picker-note">{problem}</p>;
  if (options.length === 0)
    return <p class="picker-note">{none ?? `Nothing is called “${text}”. Try another spelling.`}</p>;
  return more > 0 ? <p class="picker-note">{more} more: type on to narrow them down.</p> : null;
}
