/** Operators let a Service lose connections that came under no protection during the run. */
import { because } from '../status/because.ts';
import { acceptedDuring } from './accepted-services.ts';
import { audit } from './audit.ts';
import type { EventOf } from './events.ts';
import { recordUnprotected } from './records.ts';
import type { RunState } from './state.ts';

/** The Service may lose connections from now on; the report says so. */
export function acceptUnprotected(state: RunState, event: EventOf<'accept-unprotected'>): RunState {
  const { service } = event;
  const what = [`${service}: accepted during the run by ${because(event)}`];
  return recordUnprotected(audit(state, 'accept-unprotected', event, service), { type: 'recordUnprotected', what });
}

/** Why a Service can't be accepted, as text; undefined when it can. */
export function whyNotAccept(
  { status }: RunState,
  { service = '', reason }: { readonly service?: string; readonly reason: string },
): string | undefined {
  if (reason.trim() === '') return 'it needs a reason';
  if (!/^[^/\s]+\/[^/\s]+$/.test(service)) return 'it was not said which Service, as namespace/name';
  return acceptedDuring(status).includes(service) ? `${service} was accepted already` : undefined;
}
