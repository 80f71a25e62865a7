import { IncomingMessage, type ServerResponse } from 'node:http';

/**
 * Has a client that waits for `100 Continue` told so when somebody asks for its body, and not before: what its headers suffice to
 * refuse has its final status at once (RFC 9110, 10.1.1). Gives what tells it earlier; of one that does not wait, nothing.
 *
 * Until then the response ends the connection: nobody knows whether the body follows, or the next request.
 */
export function awaitContinue(request: IncomingMessage, response: ServerResponse): (() => void) | undefined {
  const { headers, httpVersionMinor } = request;
  // HTTP/1.0 has no interim responses.
  if (httpVersionMinor === 0 || !/(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '')) return undefined;
  const { shouldKeepAlive } = response;
  let isTold = false;
  const tell = (): void => {
    // After the response has begun, a body is read to be thrown away.
    if (isTold || response.headersSent || response.destroyed) return;
    isTold = true;
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  };
  response.shouldKeepAlive = false;
  request._read = (size) => {
    tell();
    IncomingMessage.prototype._read.call(request, size);
  };
  return tell;
}
