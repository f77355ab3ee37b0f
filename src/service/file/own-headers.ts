/**
 * Headers that the client sets itself, and headers that change what a request is: another value would send it elsewhere,
 * with another key, or as another method.
 */
export const OWN_HEADERS: ReadonlySet<string> = new Set(
  [
    'x-api-key authorization cookie host content-length content-type content-encoding transfer-encoding connection',
    'accept accept-encoding expect upgrade te trailer keep-alive proxy-authorization proxy-connection idempotency-key',
    'x-http-method x-http-method-override x-method-override',
  ]
    .join(' ')
    .split(' '),
);
