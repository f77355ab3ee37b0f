import type {Store} from '../../src/store/port/port.ts';

/** The store as it is, save that a change may fail at its very end, after all that it wrote, and reads may be held up. */
export class UndoingStore implements Store {
  /** Of the changes to come, in their order: whether each fails. Those after the last one do not. */
  readonly undone: boolean[] = [];
  readonly dialect: Store['dialect'];
  readonly #store: Store;
  #held: {until: Promise<void>; onRead: () => void} | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.dialect = store.dialect;
  }

  write<T>(...[work, options]: Parameters<Store['write']>): Promise<T> {
    const isUndone = this.undone.shift() ?? false;
    return this.#store.write<T>(async (queries) => {
      const result = await work(queries);
      if (isUndone) throw new Error('undone');
      return result as T;
    }, options);
  }

  async read<T>(work: Parameters<Store['read']>[0]): Promise<T> {
    this.#held?.onRead();
    await this.#held?.until;
    return (await this.#store.read(work)) as T;
  }

  /** Until `release`, reads wait; `reached` says that the first of them does. */
  holdReads(): {reached: Promise<void>; release: () => void} {
    let [release, onRead] = [() => {}, () => {}];
    const until = new Promise<void>((resolve) => (release = resolve));
    const reached = new Promise<void>((resolve) => (onRead = resolve));
    this.#held = {until, onRead};
    return {
      reached,
      release: () => {
        this.#held = undefined;
        release();
      },
    };
  }

  glance: Store['glance'] = (...args) => this.#store.glance(...args);
  saveCopy = (name: string) => this.#store.saveCopy(name);
  writeFromCopy: Store['writeFromCopy'] = (name, work) => this.#store.writeFromCopy(name, work);
  close = () => this.#store.close();
}
