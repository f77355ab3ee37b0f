import {lstatSync} from 'node:fs';
import {join} from 'node:path';
import {ownJson} from '../../narrow.ts';
import {xdg} from '../../profiles/folders.ts';
import {readSmallFile} from '../../profiles/trusted-file.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** One id that was shown on a terminal, with a word about its record. */
export interface SeenId {
  id: string;
  label: string;
  atMs: number;
}

/** The ids shown for one service, newest first, by kind of record. */
export interface SeenIds {
  baseUrl: string;
  ids: Readonly<Record<string, readonly SeenId[]>>;
}

/** Ids are offered for a day: long enough to finish a task, too short to become a second record of it. */
const KEPT_MS = 24 * 3_600_000;

/** Most ids of each kind. */
export const MOST_IDS = 100;

/** The service of records of this machine, which belong to no profile. */
export const LOCAL_SERVICE = '(local)';

/** The folder exists only if completion is used; without it nothing is stored. */
export const seenFolder = (env: Env, home: string): string =>
  join(xdg(env, 'XDG_CACHE_HOME') ?? join(home, '.cache'), 'remit', 'completion');

/** Whether it exists, is no link, belongs to this user, and only this user can change it. */
export function isOwnFolder(folder: string): boolean {
  const stats = lstatSync(folder, {throwIfNoEntry: false});
  const us = process.geteuid?.();
  if (stats === undefined || !stats.isDirectory()) return false;
  return us === undefined || (stats.uid === us && (stats.mode & 0o022) === 0);
}

/** @param profile null if key and base URL come from the environment */
export const seenPath = (folder: string, profile: string | null): string =>
  join(folder, `${profile ?? '(environment)'}.json`);

/** What is stored for this base URL and not too old. A file that cannot be read counts as empty: it is only a cache. */
export function readSeen(path: string, baseUrl: string, nowMs: number): SeenIds {
  const empty = {baseUrl, ids: {}};
  try {
    const seen = ownJson<SeenIds>(readSmallFile(path).text);
    if (seen.baseUrl !== baseUrl) return empty;
    const ids = Object.entries(seen.ids).map(([kind, list]): [string, SeenId[]] => [
      kind,
      list.filter(({atMs}) => nowMs - atMs < KEPT_MS),
    ]);
    return {baseUrl, ids: Object.fromEntries(ids)};
  } catch {
    return empty;
  }
}

/** The address in one spelling, because the stored one may end in a slash. */
export const plainUrl = (url: string): string =>
  (URL.canParse(url) ? new URL(url).href : url).replace(/(?<!\/)\/+$/, '');
