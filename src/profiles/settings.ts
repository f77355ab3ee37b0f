import type {ServiceFile} from '../service/service-file.ts';
import {checkService} from '../service/file/parse.ts';
import {without} from '../service/shortcuts.ts';
import type {Caps, StoredProfile, TlsFiles} from './profile.ts';

/** What a profile allows and how its service differs: everything except its address and key. */
export type ProfileSettings = Pick<
  StoredProfile,
  'read_only' | 'approve_by_id' | 'approval_policy' | 'approval_key' | 'caps' | 'service' | 'tls'
>;

/** Names of single settings, as in the flags. */
export interface SettingNames {
  'max-amount'?: boolean | undefined;
  'max-batch-total'?: boolean | undefined;
  'max-batch-rows'?: boolean | undefined;
  'allow-rail'?: boolean | undefined;
  'read-only'?: boolean | undefined;
  'approve-by-id'?: boolean | undefined;
  'ca-file'?: boolean | undefined;
  /** The certificate and its key. */
  'client-cert'?: boolean | undefined;
  service?: boolean | undefined;
  /** Operations. */
  route?: readonly string[] | undefined;
  /** Fields of operations. */
  field?: readonly string[] | undefined;
}

/**
 * Applies changes to settings: amounts by currency, routes and fields by name; anything not named is kept. A service file
 * that is kept is not checked: a profile can be locked down whatever it holds.
 */
export function withSettings<T extends ProfileSettings>(profile: T, changes: ProfileSettings): T {
  const {service = {}} = profile;
  return withoutEmpty({
    ...profile,
    ...(changes.read_only === undefined ? {} : {read_only: changes.read_only}),
    ...(changes.approve_by_id === undefined ? {} : {approve_by_id: changes.approve_by_id}),
    ...(changes.approval_policy === undefined ? {} : {approval_policy: changes.approval_policy}),
    ...(changes.approval_key === undefined ? {} : {approval_key: changes.approval_key}),
    caps: mergedCaps(profile.caps ?? {}, changes.caps ?? {}),
    service: changes.service === undefined ? service : checkedService(service, changes.service),
    tls: mergedTls(profile.tls ?? {}, changes.tls ?? {}),
  });
}

const checkedService = (old: ServiceFile, next: ServiceFile): ServiceFile =>
  without(checkService(mergedService(old, next), 'the service file with these changes'), NOTHING);

const NOTHING = {routes: [], fields: []};

/** A new certificate replaces the pair: the old key does not fit it. */
const mergedTls = (old: TlsFiles, next: TlsFiles): TlsFiles => ({
  ...(next.client_cert === undefined ? old : {ca_file: old.ca_file}),
  ...next,
});

function mergedCaps(old: Caps, next: Caps): Caps {
  const merged: Caps = {...old, ...next};
  for (const name of ['max_amount_minor', 'max_batch_total_minor'] as const)
    if (old[name] !== undefined && next[name] !== undefined) merged[name] = {...old[name], ...next[name]};
  return merged;
}

/** Routes and fields are added one by one; any other part replaces what was there. */
export function mergedService(old: ServiceFile, next: ServiceFile): ServiceFile {
  const fields = Object.entries(next.fields ?? {}).map(
    ([holder, names]) => [holder, {...old.fields?.[holder], ...names}] as const,
  );
  return {
    ...old,
    ...next,
    routes: {...old.routes, ...next.routes},
    fields: {...old.fields, ...Object.fromEntries(fields)},
  };
}

/** Removes the named settings. */
export function withoutSettings<T extends ProfileSettings>(profile: T, names: SettingNames): T {
  const {caps = {}, service = {}, tls = {}} = profile;
  const {route: routes = [], field: fields = []} = names;
  const keepsService = routes.length + fields.length === 0;
  const {max_amount_minor, max_batch_total_minor, max_batch_rows, rails} = caps;
  return withoutEmpty({
    ...profile,
    read_only: names['read-only'] ? undefined : profile.read_only,
    approve_by_id: names['approve-by-id'] ? undefined : profile.approve_by_id,
    caps: {
      ...(names['max-amount'] ? {} : {max_amount_minor}),
      ...(names['max-batch-total'] ? {} : {max_batch_total_minor}),
      ...(names['max-batch-rows'] ? {} : {max_batch_rows}),
      ...(names['allow-rail'] ? {} : {rails}),
    },
    service: names.service ? {} : keepsService ? service : without(service, {routes, fields}),
    tls: {
      ...(names['ca-file'] ? {} : {ca_file: tls.ca_file}),
      ...(names['client-cert'] ? {} : {client_cert: tls.client_cert, client_key: tls.client_key}),
    },
  });
}

/**
 * A new profile with the name of an old one keeps the guards of the old one. The permission to approve by id and the TLS
 * files are not kept, because they were given for the old service and key.
 */
export const replacing = (old: StoredProfile, next: StoredProfile): StoredProfile =>
  withSettings({...next, ...settingsOf(old)}, settingsOf(next));

const settingsOf = ({
  read_only,
  approval_policy,
  approval_key,
  caps,
  service,
}: StoredProfile): ProfileSettings => withoutEmpty({read_only, approval_policy, approval_key, caps, service});

/** Removes undefined values and empty parts, so that the file contains only what is set. */
function withoutEmpty<T extends ProfileSettings>(profile: T): T {
  const {caps = {}, service = {}, tls = {}, ...rest} = profile;
  const parts = Object.entries({caps: setOnly(caps), tls: setOnly(tls), service});
  const filled = parts.filter(([, part]) => Object.keys(part).length > 0);
  const kept: ProfileSettings = {...setOnly(rest), ...Object.fromEntries(filled)};
  return kept as T; // only optional settings are left out
}

const setOnly = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
