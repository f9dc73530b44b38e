import type { WebhookResource, WebhookDelivery } from '@proctor/resources';
import { timestamp } from '@proctor/contracts';
import type { LoggedDelivery, Webhook } from '@proctor/database';

/** A webhook for its user. Its secret is shown only when it is created. */
export function webhookObject(webhook: Webhook): WebhookResource {
  const { packages, suites, arches, trigger, kinds, verdicts, mine } = webhook.filter;
  return {
    id: webhook.webhookId,
    url: webhook.url,
    description: webhook.description,
    package: listOrNull(packages),
    suite: listOrNull(suites),
    arch: listOrNull(arches),
    trigger: trigger ?? null,
    kinds: listOrNull(kinds),
    status: listOrNull(verdicts),
    mine: mine ?? false,
    private: webhook.keyId !== null,
    enabled: webhook.disabledAt === null,
    disabled_at: webhook.disabledAt && timestamp(webhook.disabledAt),
    disabled_reason: webhook.disabledReason,
    failing_since: webhook.failingSince && timestamp(webhook.failingSince),
    old_secret_until: webhook.oldSecretUntil && timestamp(webhook.oldSecretUntil),
    waiting: webhook.waiting,
    created_at: timestamp(webhook.createdAt),
  };
}

function listOrNull<T>(list?: readonly T[]): T[] | null {
  return list ? [...list] : null;
}

export function deliveryObject(delivery: LoggedDelivery): WebhookDelivery {
  return {
    id: delivery.deliveryId,
    run_id: delivery.runId,
    kind: delivery.kind ?? 'ping',
    state: delivery.state,
    attempts: delivery.attempts,
    created_at: timestamp(delivery.createdAt),
    sent_at: delivery.sentAt && timestamp(delivery.sentAt),
    next_at: delivery.state === 'pending' ? timestamp(delivery.dueAt) : null,
    status: delivery.status,
    duration_ms: delivery.durationMs,
    answer: delivery.answer,
    error: delivery.error,
  };
}
