/** What can be wrong with a request before anyone looks at the query. */
export type RequestErrorCode =
  | 'unauthorised' // no key, or one that is not known
  | 'forbidden' // a host or a page that may not ask this server
  | 'rate-limit' // more requests than a key may send; `headers` has when to come back
  | 'not-found' // no such path or model
  | 'method' // a path that takes another method
  | 'conflict' // something that belongs to another state of the server
  | 'misdirected' // something that another server does; `headers` has its address
  | 'media-type' // a body that is not JSON, or is compressed
  | 'too-large' // a body over the limit
  | 'encoding' // bytes that are not UTF-8
  | 'syntax'; // text that is not JSON

/** A request that HTTP itself has words for. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: RequestErrorCode;
  readonly hint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where: the name of a parameter. */
  readonly path: string | undefined;

  constructor(
    code: RequestErrorCode,
    message: string,
    hint: string,
    headers: Readonly<Record<string, string>> = {},
    path?: string,
  ) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.headers = headers;
    this.path = path;
  }
}
