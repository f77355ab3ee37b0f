import type {ConnectionOptions} from 'node:tls';
import type {Proxy} from './proxy.ts';

/** What a TLS connection trusts, and what it shows of itself; PEM. */
export interface TlsSettings {
  /** Only these authorities are trusted, instead of the system's. */
  ca?: string | undefined;
  /** The client's certificate, with its chain, and its private key. */
  cert?: string | undefined;
  key?: string | undefined;
}

/** How a service is reached. */
export interface NetworkSettings extends TlsSettings {
  /** A forward proxy, as a URL that may hold credentials; not for http. The environment is not read for it. */
  proxy?: string | Proxy | undefined;
}

/** Without keys that are undefined, which Node would take for settings. */
export const tlsOptions = ({ca, cert, key}: TlsSettings): Pick<ConnectionOptions, 'ca' | 'cert' | 'key'> => ({
  ...(ca === undefined ? {} : {ca}),
  ...(cert === undefined ? {} : {cert}),
  ...(key === undefined ? {} : {key}),
});
