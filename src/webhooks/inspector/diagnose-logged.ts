import type {SignatureForm} from '../../contract/signature-form.ts';
import {isCut, type Delivery} from '../delivery/delivery.ts';
import {diagnose, type Diagnosis} from '../verify/diagnosis.ts';
import type {WebhookSecret} from '../verify/secrets.ts';

/** A diagnosis hashes the body about a hundred times, and the listener must keep answering during that time. */
const MOST_BYTES = 65_536;

/** What would have matched; null if it is too expensive to try here, or cannot be known. */
export function diagnoseLogged(
  delivery: Delivery,
  secrets: readonly WebhookSecret[],
  form?: SignatureForm,
): readonly Diagnosis[] | null {
  const {reason, headers, body} = delivery;
  if (reason !== 'mismatch' && reason !== 'signature_format') return null;
  if (secrets.length === 0 || body.length > MOST_BYTES || isCut(delivery)) return null;
  return diagnose({body, headers, secrets, form});
}
