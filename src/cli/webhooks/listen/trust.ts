import {readFileSync} from 'node:fs';
import {authorityFiles} from '../../../webhooks/tls/local-authority.ts';
import type {LocalContext} from '../../core/context.ts';

/** The local authority, if there is one; it is valid only for loopback. */
export function trustedCertificates({stateDir}: Pick<LocalContext, 'stateDir'>): string[] | undefined {
  try {
    return [readFileSync(authorityFiles(stateDir).certificate, 'utf8')];
  } catch {
    return undefined;
  }
}
