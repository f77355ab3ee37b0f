import {isPostgresUrl} from '../../store/postgres-url.ts';
import type {Store} from '../../store/port.ts';
import {migrations} from './list.ts';

/**
 * The sandbox's store: a file, whole after a SIGKILL (synchronous NORMAL), not after a power cut, since it is a
 * rehearsal; or a `postgres://` address, whose database several sandboxes may share.
 */
export async function openSandboxStore(place: string): Promise<Store> {
  if (isPostgresUrl(place)) {
    const {openPostgresStore} = await import('../../store/postgres.ts');
    return openPostgresStore(place, {migrations: migrations('postgres')});
  }
  const {openEmbeddedStore} = await import('../../store/embedded.ts'); // not needed where the caller brings a store
  return openEmbeddedStore(place, {
    durability: 'normal',
    migrations: migrations('sqlite'),
    together: ['transfers'],
    purpose: 'A sandbox on this store',
    hint: 'see it with remit sandbox status, or end it: remit sandbox stop',
  });
}
