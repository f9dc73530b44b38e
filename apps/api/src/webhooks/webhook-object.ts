import { timestamp } from '@proctor/contracts';
import type { LoggedDelivery, Webhook } from '@proctor/database';

/** A webhook as its user reads it; its secret is told when it is made, and at no other time. */
export function webhookObject(webhook: Webhook) {
  const { packages, suites, arches, trigger, kinds, verdicts, mine } = webhook.filter;
  return {
    id: webhook.webhookId,
    url: webhook.url,
    description: webhook.description,
    package: packages ?? null,
    suite: suites ?? null,
    arch: arches ?? null,
    trigger: trigger ?? null,
    kinds: kinds ?? null,
    status: verdicts ?? null,
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

export type WebhookObject = ReturnType<typeof webhookObject>;

export function deliveryObject(delivery: LoggedDelivery) {
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

export type DeliveryObject = ReturnType<typeof deliveryObject>;
