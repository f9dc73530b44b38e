import { timestamp } from '@proctor/contracts';
import type { NeutralStatus } from '@proctor/contracts';
import type { DueDelivery, MatchedWebhook } from '@proctor/database';
import { isWanted, type RunEvent } from '@proctor/events';
import { signatures } from '@proctor/webhooks';
import { eventObject } from '../events/event-object';
import type { WebhookMessage } from './webhook-request';

const AGENT = 'Proctor-Webhook/1.0';

/** Whether a webhook gets an event. */
export function isWantedBy(
  { filter, keyId, userName, eventsFromMs }: MatchedWebhook,
  event: RunEvent,
): boolean {
  const { mine = false, ...eventFilter } = filter;
  if (event.isPrivate && event.keyId !== keyId) return false;
  if (mine && event.requestor !== userName) return false;
  return event.at.getTime() >= eventsFromMs && isWanted(eventFilter, event);
}

/** The text of a delivery in the format of Standard Webhooks; the same for each attempt. */
export function bodyOf({ deliveryId, createdAt, event }: DueDelivery, neutral: NeutralStatus): string {
  if (!event)
    return JSON.stringify({ type: 'ping', timestamp: timestamp(createdAt), data: { id: deliveryId } });
  const data = eventObject(event, neutral);
  return JSON.stringify({ type: `run.${event.kind}`, timestamp: data.at, data });
}

/**
 * A delivery with a signature for now. The id of an event is the same for each attempt and each redelivery: the run,
 * the place in its history, and its time, because ids may be used again after a restore.
 */
export function messageOf(
  delivery: DueDelivery,
  { url, secrets }: { url: string; secrets: string[] },
  body: string,
  seconds: number,
): WebhookMessage {
  const { deliveryId, createdAt, event } = delivery;
  const id = event
    ? `run_${event.runId}.${event.place}.${event.at.getTime().toString(36)}`
    : `ping_${deliveryId}.${createdAt.getTime().toString(36)}`;
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': AGENT,
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatures(secrets, id, seconds, body),
    },
  };
}
