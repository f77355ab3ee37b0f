import type {Store} from '../store/port.ts';
import {migrations} from './migrations.ts';

/** The sandbox's store: whole after a SIGKILL (synchronous NORMAL), not after a power cut; it is a rehearsal. */
export async function openSandboxStore(file: string): Promise<Store> {
  const {openEmbeddedStore} = await import('../store/embedded.ts'); // not needed where the caller brings a store
  return openEmbeddedStore(file, {
    durability: 'normal',
    migrations: migrations('sqlite'),
    purpose: 'A sandbox on this store',
    hint: 'remit sandbox stop',
  });
}
