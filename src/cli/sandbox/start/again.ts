import {RemitError} from '../../../errors.ts';
import {readPostgresUrl} from '../../../store/postgres/url.ts';
import {commandLine, type Typed} from '../../line/command-line.ts';
import {STORE_FROM_STDIN} from './options.ts';

/** The hint after PORT_IN_USE is the command that was typed, with a free port. A password in it is not repeated. */
export function hintFreePort(error: unknown, typed: Typed, store: string | undefined): unknown {
  if (!(error instanceof RemitError) || error.code !== 'PORT_IN_USE') return error;
  const hasPassword = store !== undefined && readPostgresUrl(store).passwords.length > 0;
  const instead = hasPassword ? ['--store', STORE_FROM_STDIN] : [];
  return error.withHint(
    commandLine(typed.id, typed.argv, {
      without: ['--port', ...(hasPassword ? ['--store'] : [])],
      add: ['--port', '0', ...instead],
    }),
  );
}
