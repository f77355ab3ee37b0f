import {isPostgresUrl} from '../../store/postgres/url.ts';
import type {Store} from '../../store/port/port.ts';
import {migrations} from './list.ts';

/**
 * The sandbox's store: a file, which survives a SIGKILL (synchronous NORMAL) but not necessarily a power cut, because
 * it only holds test data; or a `postgres://` address, whose database several sandboxes may share.
 */
export async function openSandboxStore(place: string): Promise<Store> {
  if (isPostgresUrl(place)) {
    const {openPostgresStore} = await import('../../store/postgres/postgres.ts');
    return openPostgresStore(place, {migrations: migrations('postgres')});
  }
  const {openEmbeddedStore} = await import('../../store/sqlite/embedded.ts'); // not needed if the caller provides a store
  return openEmbeddedStore(place, {
    durability: 'normal',
    migrations: migrations('sqlite'),
    together: ['transfers'],
    purpose: 'a sandbox on this store',
    hint: 'see it with remit sandbox status, or end it: remit sandbox stop',
  });
}
