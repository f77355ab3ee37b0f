import {RemitError} from '../../src/errors.ts';
import type {Store} from '../../src/store/port/port.ts';

export const DOWN = 'Could not read the database postgres://db.example/sandbox: the connection was refused';

/** The store as it is, until its database goes away. */
export class FailingStore implements Store {
  down = false;
  /** What is thrown while it is away. */
  trouble: Error = new RemitError('STATE', DOWN);
  readonly dialect: Store['dialect'];
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    this.dialect = store.dialect;
  }

  #check(): void {
    if (this.down) throw this.trouble;
  }

  async read<T>(work: Parameters<Store['read']>[0]): Promise<T> {
    this.#check();
    return (await this.#store.read(work)) as T;
  }

  async glance(...args: Parameters<Store['glance']>): ReturnType<Store['glance']> {
    this.#check();
    return this.#store.glance(...args);
  }

  async write<T>(...args: Parameters<Store['write']>): Promise<T> {
    this.#check();
    return (await this.#store.write(...args)) as T;
  }

  saveCopy = (name: string) => this.#store.saveCopy(name);
  writeFromCopy: Store['writeFromCopy'] = (name, work) => this.#store.writeFromCopy(name, work);
  close = () => this.#store.close();
}
