import { Field, OptionalField, text, flag, listOf, whole, words, Description } from '@proctor/resources';
import {
  DELIVERY_STATES,
  type DeliveryState,
  describe,
  END_KINDS,
  FACT_KINDS,
  type FactKind,
  isStorable,
  Strict,
} from '@proctor/contracts';
import { EventFilterQuery } from '../events/events.dto';
import type { Parameter } from '../http/parameters';
import { badRequestAt } from '../http/problem';
import { idOf, wholeNumber } from '../http/parameter-values';
import { From } from '../http/shape';

export const DELIVERIES_PER_PAGE = 50;
const DELIVERIES_PER_PAGE_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 200;

@Description('A list holds names, and one of them must fit; what is left out does not matter.')
@Strict()
export class WebhookRequest extends EventFilterQuery {
  @Field(text({ maxLength: 1000 }), 'With https://, without user, password and fragment.')
  @From({ read: urlOf, missing: 'it holds the address that events are sent to' })
  url: string;

  @OptionalField(listOf(words(FACT_KINDS), { default: END_KINDS }), 'Kinds of events.')
  declare kinds?: FactKind[];

  @OptionalField(text({ maxLength: DESCRIPTION_LENGTH_MAX }))
  @From({ read: descriptionOf })
  description?: string;

  @From({ text: 'boolean' })
  @OptionalField(flag({ default: false }), "Only events of the user's own runs.")
  mine?: boolean;

  @From({ text: 'boolean' })
  @OptionalField(flag({ default: false }), 'Private runs of this key, too.')
  private?: boolean;

  @From({ text: 'boolean' })
  @OptionalField(flag({ default: true }))
  enabled?: boolean;
}

/** The query of the log of deliveries. */
@Strict()
export class DeliveriesQuery {
  @OptionalField(words(DELIVERY_STATES))
  state?: DeliveryState;

  @OptionalField(whole({ minimum: 1 }), 'The `before` of the previous part.')
  @From({ read: idOf('a delivery') })
  before?: number;

  @OptionalField(whole({ minimum: 1, maximum: DELIVERIES_PER_PAGE_MAX, default: DELIVERIES_PER_PAGE }))
  @From({ read: wholeNumber(1, DELIVERIES_PER_PAGE_MAX) })
  limit?: number;
}

/** Requests the events that a webhook has missed since a time. */
@Strict()
export class RecoverRequest {
  @Field(whole({ minimum: 0 }), 'UNIX time in seconds.')
  @From({ read: sinceOf, missing: 'it holds a UNIX time in seconds' })
  since: number;
}

function urlOf({ value, pointer }: Parameter, name: string): string {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text !== '' && isStorable(text)) return text;
  throw badRequestAt(`${name} must be an address, not ${describe(value)}.`, pointer);
}

function descriptionOf({ value, pointer }: Parameter, name: string): string {
  const text = typeof value === 'string' ? value.trim() : null;
  if (text !== null && text.length <= DESCRIPTION_LENGTH_MAX && isStorable(text) && !/\p{Cc}/u.test(text))
    return text;
  throw badRequestAt(
    `${name} must be a line of at most ${DESCRIPTION_LENGTH_MAX} characters, not ${describe(value)}.`,
    pointer,
  );
}

function sinceOf({ value, pointer }: Parameter, name: string): number {
  const text = String(value);
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw badRequestAt(`${name} must be a UNIX time in whole seconds, not ${describe(value)}.`, pointer);
}
