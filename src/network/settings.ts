import type {ConnectionOptions} from 'node:tls';
import type {Proxy} from './proxy.ts';

/** The authorities that a TLS connection trusts, and the certificate that it presents; PEM. */
export interface TlsSettings {
  /** Only these authorities are trusted, instead of the system's. */
  ca?: string | undefined;
  /** The client's certificate, with its chain, and its private key. */
  cert?: string | undefined;
  key?: string | undefined;
}

/** How to reach a service. */
export interface NetworkSettings extends TlsSettings {
  /** A forward proxy, as a URL that may contain credentials; not for http. The environment is not consulted. */
  proxy?: string | Proxy | undefined;
}

/** Why a request was not sent: the keys of `details` in an error. */
export interface Unsent {
  failure: string;
  reason: string | undefined;
}

/** Omits undefined keys, which Node would treat as settings. */
export const tlsOptions = ({ca, cert, key}: TlsSettings): Pick<ConnectionOptions, 'ca' | 'cert' | 'key'> => ({
  ...(ca === undefined ? {} : {ca}),
  ...(cert === undefined ? {} : {cert}),
  ...(key === undefined ? {} : {key}),
});
