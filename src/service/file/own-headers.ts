const OWN: ReadonlySet<string> = new Set(
  [
    'x-api-key authorization cookie host content-length content-type content-encoding transfer-encoding connection',
    'accept accept-encoding expect upgrade te trailer keep-alive proxy-authorization proxy-connection idempotency-key',
    'x-http-method x-method',
    'x-original-url x-original-uri x-rewrite-url x-override-url x-forwarded-uri x-forwarded-url x-forwarded-path',
    'x-forwarded-prefix x-envoy-original-path',
  ]
    .join(' ')
    .split(' '),
);

/**
 * Headers that the client sets itself, and headers that change what a request is: another value would send it elsewhere,
 * with another key, as another method, or to another path. Many servers read `_` as `-`.
 */
export function isOwnHeader(name: string): boolean {
  const plain = name.toLowerCase().replaceAll('_', '-');
  return OWN.has(plain) || /(?:^|-)method-override$/.test(plain);
}

/** `x-auto-approve`, `approval`: a service may read it as an approval of everything that is sent. */
export const namesApproval = (name: string): boolean => /(?:^|[-_.])(?:auto)?approv/i.test(name);

/** `x-idempotency-key`, `idempotent`: the service may prefer it to the key of the request. */
export const namesIdempotencyKey = (name: string): boolean => /idempoten(?:t|cy)/i.test(name);

/**
 * Query parameters and fields that frameworks read as the method of the request: `_method`, and the names of such
 * headers. They compare names as `isOwnHeader` does.
 */
export const isMethodParameter = (path: string): boolean =>
  path.split('.').some((name) => {
    const plain = name.toLowerCase().replaceAll('_', '-');
    return (
      plain === '-method' || plain === 'x-method' || /(?:^|-)(?:http-method|method-override)$/.test(plain)
    );
  });

/** Why the name of such a parameter is refused. */
export const READ_AS_METHOD = 'cannot be a name that many servers read as the method of the request';
