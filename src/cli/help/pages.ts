import {EXIT_MEANINGS} from '../../errors.ts';
import {globalFlags} from '../input/flags.ts';

/** Help that belongs to no command: `remit help exit-codes`. Written from the same tables that the code uses. */
interface Page {
  summary: string;
  text: () => string;
}

export const ENVIRONMENT: Readonly<Record<string, string>> = {
  REMIT_API_KEY: "API key to use instead of a profile's",
  REMIT_BASE_URL: 'base URL of the service; needs REMIT_API_KEY',
  REMIT_PROFILE: 'profile to use when --profile is not given',
  REMIT_CONFIG_DIR: 'folder of config.json (default ~/.config/remit)',
  REMIT_STATE_DIR: 'folder of batches and the sandbox (default ~/.local/state/remit)',
  REMIT_WEBHOOK_SECRET: 'signing secret of webhooks; several are separated by commas',
  XDG_CONFIG_HOME: 'parent of the configuration folder, instead of ~/.config',
  XDG_STATE_HOME: 'parent of the state folder, instead of ~/.local/state',
  XDG_CACHE_HOME: 'parent of the cache of compiled code, instead of ~/.cache',
  NODE_EXTRA_CA_CERTS: 'file of additional certificate authorities (read by Node.js)',
  NO_COLOR: 'set to turn colour off',
  FORCE_COLOR: 'set to use colour in pipes too',
};

const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
};

export const PAGES: Readonly<Record<string, Page>> = {
  'exit-codes': {
    summary: 'what each exit code means',
    text: () =>
      `EXIT CODES\n${table(
        Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code.padStart(3), meaning]),
      )}`,
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
  environment: {
    summary: 'environment variables that remit reads',
    text: () =>
      `ENVIRONMENT\n${table(Object.entries(ENVIRONMENT))}\nFlags override the environment, which overrides .remit.json, which overrides the stored default.\nAn empty variable counts as not set.\n`,
  },
};
