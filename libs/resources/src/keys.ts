import { IsStorableText, IsStringThat, KEY_SCOPES, type KeyScope, must, Strict } from '@proctor/contracts';
import { Length } from 'class-validator';
import { Field, OptionalField } from './field';
import { component, listOf, orNull, text, whole, withExample, words } from './schema';
import { TIME } from './values';

const KEY_NAME_LENGTH_MAX = 100;
const NAME_RULE = must(`be a string of 1 to ${KEY_NAME_LENGTH_MAX} characters without NUL`);

const EXPIRY_RULE = must(
  'be a date (YYYY-MM-DD, from whose beginning in UTC on the key opens nothing) or a time with its zone, and still to come, or never',
);
/** In the place of a time: a key does not expire. */
export const NEVER = 'never';

const DATE_OR_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

function isToCome(expiry: string): boolean {
  return expiry === NEVER || (DATE_OR_TIME.test(expiry) && Date.parse(expiry) > Date.now());
}

export const KEY_NAME = component(
  'KeyName',
  text({ minLength: 1, maxLength: KEY_NAME_LENGTH_MAX }),
  Length(1, KEY_NAME_LENGTH_MAX, NAME_RULE),
  IsStorableText(NAME_RULE),
);

export const KEY_SCOPE = component(
  'KeyScope',
  words(KEY_SCOPES, {
    description:
      'What a key is good for: everything that its user may do; reading alone; or asking for tests (and repeating them) and reading nothing.',
  }),
);

export const KEY_EXPIRY = component(
  'KeyExpiry',
  orNull(TIME, {
    description: 'The time from which the key is no longer valid; null if it does not expire.',
  }),
);

export const ASKED_EXPIRY = component(
  'AskedExpiry',
  text({
    description:
      'The time from which the key is no longer valid: a day (`YYYY-MM-DD`, from its beginning, UTC) or a time with its zone (RFC 3339), still to come. `never`: it does not expire.',
  }),
  IsStringThat(isToCome, EXPIRY_RULE),
);

/** What a key is to be good for. What is left out stays. */
@Strict()
export class KeyChange {
  @OptionalField(KEY_SCOPE)
  scope?: KeyScope;

  @OptionalField(ASKED_EXPIRY)
  expires_at?: string;
}

/** A request for an API key. */
export class NewKey extends KeyChange {
  @Field(withExample(KEY_NAME, 'laptop'))
  name: string;
}

/** A valid key as its user may see it. */
export class KeyResource {
  @Field(whole())
  id: number;

  @Field(text())
  name: string;

  @Field(text(), "The key's first characters.")
  prefix: string;

  @Field(TIME)
  created_at: string;

  @Field(orNull(TIME), 'Up to a minute late.')
  last_used_at: string | null;

  @Field(KEY_SCOPE)
  scope: KeyScope;

  @Field(KEY_EXPIRY)
  expires_at: string | null;
}

/** A new key with its secret, which is in no other answer. */
export class KeyWithSecret {
  @Field(whole())
  id: number;

  @Field(text())
  name: string;

  @Field(text())
  key: string;

  @Field(TIME)
  created_at: string;

  @Field(KEY_SCOPE)
  scope: KeyScope;

  @Field(KEY_EXPIRY)
  expires_at: string | null;
}

/** A valid key as administrators see it. */
export class OwnedKeyResource extends KeyResource {
  @Field(text())
  user: string;
}

/** A part of the list of all keys. */
export class OwnedKeyList {
  @Field(listOf(OwnedKeyResource))
  keys: OwnedKeyResource[];

  @Field(orNull(whole()), 'The position to send for the next part; null at the end.')
  before: number | null;
}

export class RevokedKey {
  @Field(whole())
  key: number;
}

/** The key of the request. */
export class CurrentKey {
  @Field(text(), "The name of the key's user.")
  user: string;

  @Field(KEY_SCOPE)
  scope: KeyScope;

  @Field(KEY_EXPIRY)
  expires_at: string | null;
}
