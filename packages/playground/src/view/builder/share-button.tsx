import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageState } from '../page-state.ts';

/** How long it says that the address was copied, in milliseconds. */
const told = 2000;

/** Copies the address of the page, which holds the question. */
export function ShareButton({ state }: { readonly state: PageState }): JSX.Element {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), told);
    return () => clearTimeout(timer);
  }, [said]);
  const share = (): void => {
    state
      .address()
      .then((address) => navigator.clipboard.writeText(address))
      .then(
        () => setSaid('Link copied'),
        // Pages without TLS may not write there; the address of the page is the link.
        () => setSaid('Copy the address of this page'),
      );
  };
  return (
    <button type="button" class="button plain" onClick={share}>
      <span aria-live="polite">{said ?? 'Share'}</span>
    </button>
  );
}
