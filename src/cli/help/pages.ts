import {RAIL_LIMITS_MINOR} from '../../contract/rails.ts';
import {ERRORS, EXIT_MEANINGS} from '../../errors.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';
import {assumptionsText, operationsText, type ServiceInForce} from './assumptions.ts';
import {globalFlags} from '../input/global-flags.ts';

/** Help pages that are not about a command: `remit help exit-codes`. Generated from the tables that the code uses. */
export interface HelpPage {
  summary: string;
  /** `width`: of a terminal; Infinity without one, so that each row of a table is one line. */
  text: (inForce: ServiceInForce, width: number) => string;
}

export const ENVIRONMENT: Readonly<Record<string, string>> = {
  REMIT_API_KEY: "API key to use instead of a profile's",
  REMIT_BASE_URL: 'base URL of the service; needs REMIT_API_KEY',
  REMIT_SERVICE_FILE: 'service file: how the service differs; needs REMIT_API_KEY',
  REMIT_PROFILE: 'profile to use when --profile is not given',
  REMIT_CA_FILE: "PEM file of the certificate authorities to trust, instead of the profile's",
  REMIT_CLIENT_CERT: "PEM file of the client certificate, instead of the profile's",
  REMIT_CLIENT_KEY: 'PEM file of its private key (default: in the same file)',
  REMIT_CONFIG_DIR: 'folder of config.json (default ~/.config/remit)',
  REMIT_STATE_DIR: 'folder of batches and the sandbox (default ~/.local/state/remit)',
  REMIT_STATE_URL: 'PostgreSQL database that a team shares, as --state of the batch and reconcile commands',
  REMIT_WEBHOOK_SECRET: 'signing secrets of webhooks, separated by commas',
  XDG_CONFIG_HOME: 'parent of the configuration folder, instead of ~/.config',
  XDG_STATE_HOME: 'parent of the state folder, instead of ~/.local/state',
  XDG_CACHE_HOME: 'parent of the caches of compiled code and of ids for completion, instead of ~/.cache',
  XDG_DATA_HOME: 'parent of the folder of completion scripts, instead of ~/.local/share',
  ZDOTDIR: 'folder of .zshrc for completion install, instead of the home folder',
  NODE_EXTRA_CA_CERTS: 'file of additional certificate authorities (read by Node.js)',
  HTTPS_PROXY: 'proxy for https services; https_proxy comes first',
  HTTP_PROXY: 'proxy for http targets of forwarded webhooks; http_proxy comes first',
  NO_PROXY: 'hosts to reach without a proxy; no_proxy comes first',
  NO_COLOR: 'set to turn colour off',
  FORCE_COLOR: 'set to use colour in pipes too',
  LC_ALL: 'character set of the terminal: without UTF-8, charts are drawn in ASCII',
  LC_CTYPE: 'the same, if LC_ALL is not set',
  LANG: 'the same, if neither is set',
};

const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
};

/** How amounts are typed, sent and shown. */
const moneyText = (): string => `MONEY
  The service counts in minor units: 12500 is 125.00 USD, 12500 JPY and 12.500 KWD.
  Type an amount in one of two forms; remit shows both before it sends anything:
${table([
  ['--amount 125.00 --currency USD', 'major units, with at most the decimals of the currency'],
  ['--amount-minor 12500', 'minor units, exactly as sent'],
])}
  An amount with more decimals than its currency has is refused, not rounded.
  1,250.00 and 1e3 are refused: in many countries the comma is the decimal sign.
  For batch files, state the form with --number-format and --amount-unit.
  Tables show major units with the currency; JSON keeps the fields of the service.
  Days without a time, such as the day on which a payment settles, are days in New York.
  The limits of a profile (--max-amount USD=5000.00) are checked before anything is sent.

LIMITS OF RAILS (assumption 64)
${table(Object.entries(RAIL_LIMITS_MINOR).map(([rail, minor]) => [rail, `${groupMajor(formatMajor(BigInt(minor), 'USD'))} USD for each transfer`]))}`;

export const PAGES: Readonly<Record<string, HelpPage>> = {
  'exit-codes': {
    summary: 'what each exit code means',
    text: () =>
      `EXIT CODES\n${table(
        Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code.padStart(3), meaning]),
      )}\nWhat to do after each of them: remit explain CODE.\n`,
  },
  errors: {
    summary: 'error codes; remit explain CODE says what to do',
    text: () =>
      `ERRORS\n${table(
        Object.entries(ERRORS).map(([code, {exit, retryable, meaning}]) => [
          `${code.padEnd(24)}  ${String(exit).padStart(3)}`,
          `${meaning}${retryable ? ' (may be retried)' : ''}`,
        ]),
      )}\nThe number is the exit code. Details and the next step: remit explain CODE.\n`,
  },
  money: {
    summary: 'how amounts are typed, sent and shown',
    text: moneyText,
  },
  flags: {
    summary: 'global flags, before or after the command',
    text: () =>
      `GLOBAL FLAGS\n${table(
        Object.entries(globalFlags).map(([name, flag]) => {
          const value = flag.type === 'option' ? ` ${flag.helpValue as string}` : '';
          return [
            `${flag.char === undefined ? '   ' : `-${flag.char},`} --${name}${value}`,
            flag.description ?? '',
          ];
        }),
      )}`,
  },
  assumptions: {
    summary: 'what remit assumes, and what the service file sets',
    text: assumptionsText,
  },
  operations: {
    summary: 'operations of the service with their routes in use',
    text: operationsText,
  },
  environment: {
    summary: 'environment variables that remit reads',
    text: () =>
      `ENVIRONMENT\n${table(Object.entries(ENVIRONMENT))}\nFlags override the environment, which overrides .remit.json, which overrides the stored default.\nAn empty variable counts as not set.\n`,
  },
};
