import {RecordAges} from '../model/record-age.ts';
import {ServiceClock} from '../model/service-clock.ts';
import type {Journal} from './journal.ts';

/** The ages of the records of a batch, by the clock of the service over all its runs. */
export const recordAges = (journal: Journal): RecordAges =>
  new RecordAges(
    new ServiceClock(journal.fact('serviceClock') ?? [], (readings) =>
      journal.setFact('serviceClock', readings),
    ),
  );
