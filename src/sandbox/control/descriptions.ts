import type {ControlCallId} from './calls.ts';

/** What each control call does beyond its summary, for readers of the OpenAPI document. */
export const CONTROL_DESCRIPTIONS: Readonly<Record<ControlCallId, string>> = {
  hello:
    'Another program may have taken the port. `remit` sends the token, or a key of this sandbox, only after this answer.',
  status:
    'What a test needs at a glance: the time, how many requests were answered, and whether the money adds up.',
  audit:
    'Counts and sums come from the double-entry ledger, read as one snapshot. `problems` lists everything that does not add up; it should always be empty.',
  reset:
    'For the start of each test. Main accounts get their initial balance again; seeded parties are deleted too.',
  seed: 'The ids follow from the seed and the entity, so they are the same on every machine; seeding again adds only what is missing.',
  keys: 'Keys of the test entity and of the live-style entity, with full or read-only scope.',
  issueKey:
    'The key is valid at once. A `read` key is refused with 403 on every write, as keys with limited rights are.',
  advance:
    'Payments settle, verifications end and webhooks are sent in the order of their times. Deliveries to slow receivers may continue afterwards: `deliveries_under_way`.',
  clock: "The sandbox's time, which may differ from the machine's, and how it runs.",
  setClock: 'A frozen clock moves only with `advance`, so tests do not depend on how fast the machine is.',
  simulate:
    'Overrides scenarios, magic values and the calendar of the simulated bank. An outcome that the status does not allow is refused with 400.',
  setBankDialect:
    'Lines that exist do not change. `sandbox reset` returns all accounts to the dialect given to `sandbox start`.',
  statement:
    'Has the lines that the bank has reported by now, and the balances before and after them. MT940 and BAI2 have no pending lines.',
  magicValues: 'Amounts, names and account numbers that make the simulated bank behave in a certain way.',
  faults:
    'Each rule with the number of requests or deliveries that it matched, and of those that it affected.',
  addFault:
    'Applies to API requests or webhook deliveries from now on. With `when: after`, the request takes effect although its answer fails.',
  clearFaults: 'Requests and deliveries are no longer affected; their counters are deleted with the rules.',
  removeFault: 'The other rules keep their order and their counters.',
  checkpoints: 'The saved states of this store, with their names and times.',
  saveCheckpoint:
    'Saves the whole store: records, money, idempotency keys and the clock. Fault rules are not part of it.',
  restoreCheckpoint:
    'The clock goes back to the saved time, the only way to move it backwards. API keys issued since then stay valid.',
  deliveries:
    'Filtered by state, event type or endpoint; `before` continues after the oldest one of the previous answer.',
  delivery:
    'The payload is exactly what was sent, byte for byte, with the time, signature timestamp and answer of each attempt.',
  redeliver:
    'The same event and bytes with a new timestamp. The schedule of the delivery is kept, unless it is delivered now.',
  pageLink: 'The link works once, within ten minutes, and opens a session in the browser that follows it.',
  stop: 'The answer arrives before the server stops; records are kept unless the sandbox was started with `--fresh`.',
};
