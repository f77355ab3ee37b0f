import {userInfo} from 'node:os';

/** Who confirms, for the history of a batch: `USER` if it is set, otherwise the user of this process. Evidence, not proof. */
export function operatorName(env: Readonly<Record<string, string | undefined>>): string {
  const chosen = env['USER'] ?? '';
  if (chosen !== '') return chosen;
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // a container may run as a user without a name
  }
}
