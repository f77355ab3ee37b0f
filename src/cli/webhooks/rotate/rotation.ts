import {createHash} from 'node:crypto';
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../../../errors.ts';
import {codeOf, must, ownJson} from '../../../narrow.ts';
import {writeFileAtomic} from '../../../store/files/atomic-file.ts';
import {fileFailure} from '../../../store/files/failures.ts';
import {makeFolder} from '../../../store/files/folder.ts';
import type {Context} from '../../core/context.ts';

/** The progress of replacing a signing secret. */
export interface RotationState {
  /**
   * `creating`: the new endpoint may exist. `created`: it exists; its secret may be lost. `handed_over`: its secret
   * was shown or written. `verified`: a delivery verified with it, or the user confirmed that the receiver has it.
   */
  step: 'creating' | 'created' | 'handed_over' | 'verified';
  old_id: string;
  url: string;
  event_types: readonly string[];
  /** Description of the new endpoint: it names the old one, so that the new one can be found after a crash. */
  description: string;
  base_url: string;
  mode: string;
  started_at: string;
  secret_file: string | null;
  new_id: string | null;
  fingerprint: string | null;
  verified_by: 'delivery' | 'confirmation' | null;
  delivery: string | null;
}

type RotationPlace = Pick<Context, 'stateDir' | 'profile'>;

const folderOf = ({stateDir}: Pick<Context, 'stateDir'>): string => join(stateDir, 'webhooks', 'rotations');

/** The rotation of one endpoint, on disk: each step is written before the next one is taken. */
export class Rotation {
  readonly file: string;
  readonly #folder: string;
  #state: RotationState | undefined;

  /** The file name also distinguishes services that use the same ids. */
  constructor(place: RotationPlace, oldId: string) {
    const {baseUrl, mode} = place.profile;
    const name = createHash('sha256')
      .update(JSON.stringify([baseUrl, mode, oldId]))
      .digest('hex');
    this.#folder = folderOf(place);
    this.file = join(this.#folder, `${name.slice(0, 24)}.json`);
  }

  get state(): RotationState | undefined {
    return this.#state;
  }

  /** Once it was loaded or saved, and not forgotten. */
  get known(): RotationState {
    return must(this.#state, 'state of the rotation');
  }

  /** @throws {RemitError} STATE, STATE_DAMAGED */
  load(): RotationState | undefined {
    return (this.#state = readState(this.file));
  }

  save(state: RotationState): void {
    makeFolder(this.#folder);
    writeFileAtomic(this.file, `${JSON.stringify(state)}\n`);
    this.#state = state;
  }

  forget(): void {
    rmSync(this.file, {force: true});
    this.#state = undefined;
  }
}

/** The unfinished rotation that created this endpoint. */
export function rotationTo(place: RotationPlace, newId: string): RotationState | undefined {
  const folder = folderOf(place);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return undefined; // none was started
  }
  const {baseUrl, mode} = place.profile;
  return names
    .filter((name) => /^[0-9a-f]{24}\.json$/.test(name))
    .map((name) => readState(join(folder, name)))
    .find((state) => state?.new_id === newId && state.base_url === baseUrl && state.mode === mode);
}

function readState(file: string): RotationState | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileFailure(error, 'read', file);
  }
  try {
    return ownJson<RotationState>(text); // written by us, atomically
  } catch (cause) {
    throw new RemitError('STATE_DAMAGED', `${file} is damaged`, {cause});
  }
}

/** The command that continues a rotation. */
export function continueWith({commands, flags}: Context, oldId: string, ...words: string[]): string {
  return commands.write(
    ...['webhooks', 'endpoints', 'rotate', oldId, ...words],
    ...(flags.yes ? ['--yes'] : []),
  );
}
