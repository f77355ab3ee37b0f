import {statSync} from 'node:fs';
import {resolve} from 'node:path';
import {RemitError} from '../../errors.ts';
import {messageOf} from '../../narrow.ts';
import type {BalanceDay} from '../../output/pages/balance-days.ts';
import {balancePage, historyMark} from '../../output/pages/balance-page.ts';
import {guarded, headOf, writeOutFile} from '../../store/files/out-file.ts';
import type {Context} from '../core/context.ts';

export interface PageFile {
  path: string;
  /** @param history.days the newest first */
  write: (history: {currency: string; asOf: string; days: readonly BalanceDay[]}) => Promise<void>;
}

/**
 * The file of a page with the history of a balance. A page of the same account is replaced, any other file is left
 * unchanged: before anything is read from the service, and before it is written.
 * @throws RemitError STATE naming the file
 */
export function pageFile(context: Context, accountId: string, file: string): PageFile {
  const path = resolve(context.runtime.cwd, file);
  refuseForeign(path, accountId);
  return {
    path,
    write: async ({days, ...facts}) => {
      const [first, ...others] = days.toReversed();
      if (first === undefined) return; // a history has at least one day
      const {profile, out} = context;
      const page = balancePage({
        ...{accountId, label: await labelOf(context, accountId), ...facts},
        ...{mode: profile.mode, service: out.sanitizer.line(profile.baseUrl), days: [first, ...others]},
      });
      refuseForeign(path, accountId);
      await writeOutFile(path, [page], '--html');
    },
  };
}

/** Links and folders are refused when writing; devices and pipes are written to. */
function refuseForeign(path: string, accountId: string): void {
  const found = guarded(path, () => statSync(path, {throwIfNoEntry: false}));
  if (found?.isFile() !== true || headOf(path).includes(historyMark(accountId))) return;
  throw new RemitError('STATE', `${path} already exists and is not a balance page of account ${accountId}`, {
    hint: 'move it, or name another file: --html FILE',
  });
}

/** Accounts that are searched for the label. */
const MOST_SEARCHED = 10_000;

/** The label of an account. The service has no operation that reads one account. */
async function labelOf({client, out, stop}: Context, accountId: string): Promise<string | null> {
  const options = {limit: MOST_SEARCHED, pageSize: 100, signal: stop.signal};
  try {
    for await (const account of client.records('treasury.accounts', {}, options)) {
      const {id, label} = account;
      if (id === accountId) return label === undefined ? null : out.sanitizer.line(label);
    }
  } catch (error) {
    if (!(error instanceof RemitError) || stop.signal.aborted) throw error;
    out.warn(`the page has no label of the account: ${messageOf(error)}`);
  }
  return null;
}
