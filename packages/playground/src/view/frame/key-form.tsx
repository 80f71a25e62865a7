import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isSendable } from '../../sources/http-source.ts';

/** Asks for the key of a server, which stays in this tab. */
export function KeyForm({
  wasRefused,
  focus = false,
  onKey,
}: {
  readonly wasRefused: boolean;
  /** Whether there is nothing else to do. */
  readonly focus?: boolean;
  readonly onKey: (key: string) => void;
}): JSX.Element {
  const [key, setKey] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus) field.current?.focus();
  }, [focus]);
  const isWrong = key.trim() !== '' && !isSendable(key.trim());
  return (
    <form
      class="key-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isSendable(key.trim())) onKey(key.trim());
      }}
    >
      <label for="server-key">This server asks for a key</label>
      <p class="soft small" role={wasRefused ? 'alert' : undefined}>
        {wasRefused ? 'It does not know the key that was given.' : 'It stays in this tab until you close it.'}
      </p>
      <div class="key-row">
        <input
          ref={field}
          id="server-key"
          class="field"
          type="password"
          autocomplete="off"
          value={key}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? 'server-key-problem' : undefined}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <button type="submit" class="button primary">
          Continue
        </button>
      </div>
      {isWrong ? (
        <p class="problem small" id="server-key-problem" role="alert">
          A key has letters, digits and signs of ASCII alone, without spaces.
        </p>
      ) : null}
    </form>
  );
}
