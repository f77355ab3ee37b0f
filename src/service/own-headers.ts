/** Headers that the client sets itself: another value would send the request elsewhere, or with another key. */
export const OWN_HEADERS: ReadonlySet<string> = new Set(
  'x-api-key authorization cookie host content-length content-type transfer-encoding connection accept accept-encoding expect upgrade te trailer keep-alive proxy-authorization proxy-connection idempotency-key'.split(
    ' ',
  ),
);
