import { DELIVERY_STATES, type DeliveryState, type FactKind } from '@proctor/contracts';
import { EVENT_KIND } from './events';
import { Field } from './field';
import { flag, listOf, orNull, text, whole, words } from './schema';
import { RUN_ID, TIME } from './values';

export class WebhookResource {
  @Field(whole({ minimum: 1 }))
  id: number;

  @Field(text())
  url: string;

  @Field(text())
  description: string;

  @Field(orNull(listOf(text())))
  package: string[] | null;

  @Field(orNull(listOf(text())))
  suite: string[] | null;

  @Field(orNull(listOf(text())))
  arch: string[] | null;

  @Field(orNull(text()))
  trigger: string | null;

  @Field(orNull(listOf(EVENT_KIND)))
  kinds: FactKind[] | null;

  @Field(orNull(listOf(text())))
  status: string[] | null;

  @Field(flag())
  mine: boolean;

  @Field(flag())
  private: boolean;

  @Field(flag())
  enabled: boolean;

  @Field(orNull(TIME))
  disabled_at: string | null;

  @Field(orNull(text()))
  disabled_reason: string | null;

  @Field(orNull(TIME))
  failing_since: string | null;

  @Field(orNull(TIME))
  old_secret_until: string | null;

  @Field(whole({ minimum: 0 }), 'Events that wait to be sent; counted up to 10000.')
  waiting: number;

  @Field(TIME)
  created_at: string;
}

export class WebhookWithSecret extends WebhookResource {
  @Field(text({ pattern: '^whsec_' }))
  secret: string;
}

export class WebhookDelivery {
  @Field(whole({ minimum: 1 }))
  id: number;

  @Field(orNull(RUN_ID))
  run_id: number | null;

  @Field(text(), 'The kind of the event, or `ping`.')
  kind: string;

  @Field(words(DELIVERY_STATES))
  state: DeliveryState;

  @Field(whole({ minimum: 0 }))
  attempts: number;

  @Field(TIME)
  created_at: string;

  @Field(orNull(TIME))
  sent_at: string | null;

  @Field(orNull(TIME))
  next_at: string | null;

  @Field(orNull(whole()), 'The status code of the last answer.')
  status: number | null;

  @Field(orNull(whole()))
  duration_ms: number | null;

  @Field(orNull(text()), 'The beginning of the last answer.')
  answer: string | null;

  @Field(orNull(text()))
  error: string | null;
}

export class WebhookList {
  @Field(listOf(WebhookResource))
  webhooks: WebhookResource[];
}

export class DeliveryList {
  @Field(listOf(WebhookDelivery))
  deliveries: WebhookDelivery[];

  @Field(orNull(whole()), 'The position to send for the next part; null at the end.')
  before: number | null;
}

/** What is sent again of what a webhook missed. */
export class Recovery {
  @Field(whole({ minimum: 0 }))
  again: number;

  @Field(whole({ minimum: 0 }))
  made: number;

  @Field(
    orNull(TIME),
    'Null if all was sent; else the time up to which it was sent: send the request again from there.',
  )
  until: string | null;
}
