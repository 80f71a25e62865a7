/** A message of a conversation with a translator. */
export interface TranslatorMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/**
 * Writes patterns for questions: a language model, which is told the grammar and names of the graph.
 *
 * @throws FuzzError `deadline` or `interrupted`: the signal. `runtime`: no translator answers, or it answers in another form.
 */
export type Translator = (messages: readonly TranslatorMessage[], signal: AbortSignal) => Promise<string>;
