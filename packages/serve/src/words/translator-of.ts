import { FuzzError } from '@fuzzqe/core';
import type { Translator } from '@fuzzqe/engine/words';
import type { Settings } from '../settings/settings-table.ts';
import { chatTranslator } from './chat-translator.ts';

/**
 * The translator that settings name, with the key of the environment; undefined where they name none.
 *
 * @throws FuzzError `usage`: an address without a model, a model without an address, or an address that is not HTTP.
 */
export function translatorOf(
  { translator: url, translatorModel: model }: Pick<Settings, 'translator' | 'translatorModel'>,
  environment: Readonly<Record<string, string | undefined>>,
): Translator | undefined {
  if (url !== undefined && model !== undefined)
    return chatTranslator({ url, model, key: environment['FUZZQE_TRANSLATOR_KEY'] || undefined });
  if (url === undefined && model === undefined) return undefined;
  throw new FuzzError(
    'usage',
    `translator: expected an address and a model, got ${url === undefined ? 'no address' : 'no model'}`,
    {
      hint: 'Give both --translator URL and --translator-model NAME.',
    },
  );
}
