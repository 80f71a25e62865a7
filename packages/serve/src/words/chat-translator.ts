import { FuzzError, messageOf, schema } from '@fuzzqe/core';
import type { Translator } from '@fuzzqe/engine/words';
import { readAtMost } from '@fuzzqe/files';

/** Where a language model is asked. */
export interface ChatTranslatorOptions {
  /** The address of an API of OpenAI's form, `https://api.example/v1`: `/chat/completions` is added. */
  readonly url: string;
  /** The name of the model there. */
  readonly model: string;
  /** Default: no key is sent. */
  readonly key?: string | undefined;
  /** The longest that one reply may take, in milliseconds. Default 20 000. */
  readonly timeout?: number;
}

/** The longest reply, in bytes. */
const longestReply = 256 * 1024;

/** The most tokens that a model may write: a pattern is short. */
const mostTokens = 1000;

const form = schema.partOf({
  choices: schema.array(schema.partOf({ message: schema.partOf({ content: schema.string }) })),
});

/**
 * A translator that asks an endpoint of OpenAI's form, once for each call.
 *
 * @throws FuzzError `usage`: an address that is not HTTP.
 */
export function chatTranslator({ url, model, key, timeout = 20_000 }: ChatTranslatorOptions): Translator {
  const address = addressOf(url);
  return async (messages, signal) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    const body = JSON.stringify({ model, messages, temperature: 0, max_tokens: mostTokens });
    const headers = {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    let text: string;
    try {
      // A redirect would take the key elsewhere.
      const response = await fetch(address, {
        method: 'POST',
        body,
        headers,
        signal: limit,
        redirect: 'error',
      });
      const { bytes, isWhole } = await readAtMost(response, longestReply);
      if (!isWhole) throw failure(`its reply is longer than ${longestReply} bytes`);
      text = new TextDecoder().decode(bytes);
      if (!response.ok) throw failure(`it answered ${response.status}: ${text.slice(0, 200)}`);
    } catch (error) {
      if (error instanceof FuzzError) throw error;
      if (limit.aborted) throw over(signal);
      throw failure(messageOf(error), error);
    }
    return contentOf(text);
  };

  function contentOf(text: string): string {
    const content = schema.recogniseJson(form, text)?.choices[0]?.message.content;
    if (content === undefined) throw failure(`its reply has another form: ${text.slice(0, 200)}`);
    return content;
  }

  /** What only the log says of it; another time it may answer. */
  function failure(text: string, cause?: unknown): FuzzError {
    return new FuzzError('runtime', `translator: expected a reply, ${text}`, {
      path: address,
      hint: 'Check --translator, --translator-model and FUZZQE_TRANSLATOR_KEY.',
      toCallers: 'The translator of questions does not answer.',
      passing: true,
      cause,
    });
  }
}

function over(signal: AbortSignal): FuzzError {
  // Limits of a request say themselves which of them ended it.
  if (signal.reason instanceof FuzzError) return signal.reason;
  const isGone =
    signal.aborted && !(signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError');
  return isGone
    ? new FuzzError('interrupted', 'the client went away before the translator replied')
    : new FuzzError('deadline', 'the translator of questions did not reply in time', {
        hint: 'Allow more time, ask in the words of a template, or write a pattern.',
      });
}

function addressOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (
    parsed === undefined ||
    !/^https?:$/.test(parsed.protocol) ||
    parsed.search !== '' ||
    parsed.hash !== ''
  )
    throw new FuzzError('usage', 'translator: expected an address of HTTP', {
      path: url,
      hint: 'As https://api.example/v1, to which /chat/completions is added.',
    });
  return `${parsed.href.replace(/\/+$/, '')}/chat/completions`;
}
