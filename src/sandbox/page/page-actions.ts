import {counted} from '../../phrases.ts';
import {moment} from '../../html/page-parts.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import type {Sandbox} from '../control/sandbox-interface.ts';
import {readClockForm} from './clock-form.ts';
import {readPageRow} from './page-view.ts';
import type {Advanced, ClockStatus} from '../base/shown-records.ts';

export interface Notice {
  text: string;
  /** It was refused, or did not work. */
  isBad: boolean;
}

/** What a form of the page did, and the control that keeps the focus. */
export interface Done {
  notice: Notice;
  control: string;
}

export interface Actions extends Pick<Sandbox, 'advance' | 'setClock' | 'simulate'> {
  redeliver: (id: string) => Promise<{sent: number; last_status: number | null; last_error: string | null}>;
}

/** Each form of the page, by its path. */
export const FORMS: Readonly<Record<string, (form: URLSearchParams, actions: Actions) => Promise<Done>>> = {
  '/page/clock': moveClock,
  '/page/simulate': simulate,
  '/page/redeliver': redeliver,
};

/** A refusal is part of the page: the record may have moved on since it was shown. */
export async function act(path: string, form: URLSearchParams, actions: Actions): Promise<Done> {
  const run = FORMS[path];
  if (run === undefined) throw new ServiceError('NOT_FOUND', `no form ${path}`);
  return run(form, actions);
}

async function moveClock(form: URLSearchParams, actions: Actions): Promise<Done> {
  const action = readClockForm(form);
  const text =
    'mode' in action
      ? modeWords(await actions.setClock(action.mode))
      : advancedWords(await actions.advance(action.advance));
  return {
    notice: {text, isBad: false},
    control: `clock-${form.get('advance') ?? form.get('mode') ?? ''}`,
  };
}

async function simulate(form: URLSearchParams, actions: Actions): Promise<Done> {
  const row = readPageRow(form.get('row'));
  const outcome = form.get('outcome') ?? '';
  if (row === undefined || row.kind === 'delivery') throw invalid('', 'the page has no such control');
  const notice = await told(async () => {
    const {kind, status, code} = await actions.simulate({...row, outcome});
    return {
      text: `The ${kind} is ${status}${code === undefined ? '' : `, with the reason ${code}`}.`,
      isBad: false,
    };
  });
  return {notice, control: `simulate-${outcome}`};
}

async function redeliver(form: URLSearchParams, actions: Actions): Promise<Done> {
  const row = readPageRow(form.get('row'));
  if (row?.kind !== 'delivery') throw invalid('', 'the page has no such control');
  const notice = await told(async () => {
    const {sent, last_status: status, last_error: error} = await actions.redeliver(row.id);
    const result = status === null ? `it failed: ${error ?? 'no answer'}` : `the receiver answered ${status}`;
    const isBad = status === null || status < 200 || status >= 300;
    return {text: `Sent again (${sent} times in all); ${result}.`, isBad};
  });
  return {notice, control: 'redeliver'};
}

async function told(action: () => Promise<Notice>): Promise<Notice> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return {text: `Refused: ${error.message}.`, isBad: true};
  }
}

const advancedWords = ({now, fired, idle, deliveries_under_way: waiting = 0}: Advanced): string =>
  `It is now ${moment(now)} UTC; ${counted(fired, 'scheduled step')} happened on the way.` +
  (idle === true ? ' Nothing is scheduled any more.' : '') +
  (waiting > 0
    ? ` Deliveries that wait for slow receivers: ${waiting}; they continue in the background.`
    : '');

const modeWords = ({mode, speed}: ClockStatus): string =>
  mode === 'frozen'
    ? 'The clock is frozen.'
    : mode === 'accelerated'
      ? `The clock runs ${speed ?? 1} times as fast.`
      : 'The clock runs in real time.';
