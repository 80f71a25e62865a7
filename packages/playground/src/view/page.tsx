import type { OpenProgress } from '@fuzzqe/edge/browser';
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { FaultBox } from '../controls/fault-box.tsx';
import { faultOf, type SourceError } from '../sources/answer-source.ts';
import { readPageConfig } from '../sources/page-config.ts';
import { App } from './app.tsx';
import { KeyForm } from './frame/key-form.tsx';
import { openPage } from './open-page.ts';
import { closeQuietly, type PageStart } from './page-state.ts';

type Opening =
  | { readonly phase: 'opening'; readonly progress?: OpenProgress }
  | { readonly phase: 'open'; readonly start: PageStart }
  | { readonly phase: 'failed'; readonly fault: SourceError };

/** Under which name the key of a server is kept until the tab is closed. */
const keyName = 'fuzzqe-key';

/** The whole page, from its opening on. */
export function Page(): JSX.Element {
  const [opening, setOpening] = useState<Opening>({ phase: 'opening' });
  const [model, setModel] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  const key = useRef(keptKey());
  const take = useCallback((given: string): void => {
    key.current = given;
    keepKey(given);
  }, []);
  useEffect(() => {
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const show = (next: Opening): void => {
      if (!signal.aborted) setOpening(next);
    };
    const page = new URL(location.href);
    const open = async (): Promise<void> => {
      const config = await readPageConfig(page);
      const start = await openPage({
        page,
        config,
        model,
        key: () => key.current,
        giveKey: take,
        onProgress: (progress) => show({ phase: 'opening', progress }),
        signal,
      });
      show({ phase: 'open', start });
      if (signal.aborted && start.browser !== undefined) await closeQuietly(start.browser);
    };
    open().catch((error: unknown) => show({ phase: 'failed', fault: faultOf(error) }));
    return () => giveUp.abort();
  }, [model, attempt]);
  // Another question in the address: a link that was pasted, or the way back.
  useEffect(() => {
    const again = (): void => {
      // The link says which model.
      setModel(undefined);
      setAttempt((count) => count + 1);
    };
    addEventListener('hashchange', again);
    return () => removeEventListener('hashchange', again);
  }, []);

  if (opening.phase === 'open') return <App start={opening.start} onModel={setModel} />;
  const again = (): void => {
    setOpening({ phase: 'opening' });
    setAttempt((count) => count + 1);
  };
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          <h1>FuzzQE</h1>
        </div>
      </header>
      <main class="desk single">
        {opening.phase === 'failed' ? (
          <section class="card opening-card">
            {opening.fault.fault === 'key' ? (
              <KeyForm
                focus
                wasRefused={key.current !== undefined}
                onKey={(given) => {
                  take(given);
                  again();
                }}
              />
            ) : (
              <FaultBox fault={opening.fault} onAgain={again} />
            )}
          </section>
        ) : (
          <OpeningCard progress={opening.progress} />
        )}
      </main>
    </>
  );
}

function keptKey(): string | undefined {
  try {
    return sessionStorage.getItem(keyName) ?? undefined;
  } catch {
    return undefined;
  }
}

function keepKey(key: string): void {
  try {
    sessionStorage.setItem(keyName, key);
  } catch {
    // A full or forbidden storage: the key lasts as long as the page.
  }
}

function OpeningCard({ progress }: { readonly progress: OpenProgress | undefined }): JSX.Element {
  return (
    <section class="card opening-card" aria-busy="true">
      <label for="page-progress">
        Opening{progress === undefined ? '' : ` ${(progress.done / 1e6).toFixed(1)} MB`}
      </label>
      {progress === undefined ? (
        <progress id="page-progress" />
      ) : (
        <progress id="page-progress" max={1} value={progress.done / Math.max(progress.of, 1)} />
      )}
    </section>
  );
}
