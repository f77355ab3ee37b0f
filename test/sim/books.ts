import type {ServiceRecord, SimService} from './service.ts';

/** The service's books, as the oracle reads them. */
export type Books = Pick<SimService, 'records' | 'recordOf' | 'statusOf' | 'rules'>;

/** The part of the books that requests of one namespace have made: the same reference is another payment elsewhere. */
export function booksOf(service: SimService, isOurs: (record: ServiceRecord) => boolean): Books {
  return {
    get records() {
      return service.records.filter(isOurs);
    },
    get rules() {
      return service.rules;
    },
    recordOf: (key) => service.recordOf(key),
    statusOf: (record) => service.statusOf(record),
  };
}
