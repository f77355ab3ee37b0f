import {userInfo} from 'node:os';

/**
 * Who confirms, for the history of a batch: the user of the operating system, whatever the environment says. Evidence, not
 * proof.
 */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // a container may run as a user without a name
  }
}
