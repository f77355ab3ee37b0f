import {describeSource} from './key-source.ts';
import {maskKey} from '../sanitize/secret-shapes.ts';
import type {ConfigFile, StoredProfile} from './profile.ts';

/** A stored profile in a form that is safe to show: no key, only its source and, if stored, its masked form. */
export interface ProfileSummary {
  name: string;
  default: boolean;
  mode: string;
  base_url: string;
  key: string;
  read_only: boolean;
  approve_by_id: boolean;
}

export function summariseProfile(config: ConfigFile, name: string, profile: StoredProfile): ProfileSummary {
  return {
    name,
    default: config.default === name,
    mode: profile.mode,
    base_url: profile.base_url,
    key: 'stored' in profile.key ? maskKey(profile.key.stored) : describeSource(profile.key),
    read_only: profile.read_only ?? false,
    approve_by_id: profile.approve_by_id ?? false,
  };
}
