import { isWord, IsStorableText, IsStringThat, must, Strict } from '@proctor/contracts';
import { Length } from 'class-validator';
import { Field, OptionalField } from './field';
import { component, flag, listOf, orNull, text, whole, words } from './schema';
import { TIME } from './values';

const STANDINGS = ['active', 'disabled', 'removed'] as const;
type Standing = (typeof STANDINGS)[number];

export const USER_STANDING = component(
  'UserStanding',
  words(STANDINGS, {
    description:
      'Neither password nor keys nor a login provider let in who is disabled or removed. Runs and results stay in both cases. Who is removed has no password and no keys, and the name is never given to another user.',
  }),
);

/** A user as administrators see one. */
export class UserResource {
  @Field(text())
  name: string;

  @Field(flag(), 'An administrator.')
  admin: boolean;

  @Field(USER_STANDING)
  standing: Standing;

  @Field(flag())
  has_password: boolean;

  @Field(TIME)
  created_at: string;

  @Field(whole(), 'Valid API keys.')
  keys: number;

  @Field(whole(), 'Browsers in which the user is logged in.')
  sessions: number;
}

/** A part of the list of users. */
export class UserList {
  @Field(listOf(UserResource))
  users: UserResource[];

  @Field(orNull(text()), 'The position to send for the next part; null at the end.')
  after: string | null;
}

/** Characters. How many it must have is the deployment's. */
const PASSWORD_LENGTH_MAX = 500;
/** Does not show the value: it is a secret, also when it breaks a rule. */
const PASSWORD_RULE = {
  message: `must be a text of at most ${PASSWORD_LENGTH_MAX} characters without NUL, and not empty`,
};

export const NEW_PASSWORD = component(
  'NewPassword',
  text({
    minLength: 1,
    maxLength: PASSWORD_LENGTH_MAX,
    description:
      'Not one that is easy to guess. `api.login.passwordPolicy` of the deployment sets its least length, 12 characters by default.',
  }),
  Length(1, PASSWORD_LENGTH_MAX, PASSWORD_RULE),
  IsStorableText(PASSWORD_RULE),
);

/** Another password of a user; a random one when it is absent. */
@Strict()
export class PasswordRequest {
  @OptionalField(NEW_PASSWORD)
  password?: string;
}

export class NewUser extends PasswordRequest {
  @Field(
    text(),
    'Letters, digits and + . _ - only, at most 100.',
    IsStringThat(
      isWord,
      must('be letters, digits and + . _ - only, at most 100, and begin with a letter or digit'),
    ),
  )
  name: string;

  @OptionalField(flag({ default: false }))
  admin?: boolean;
}

/** Whether a user is an administrator from now on. */
@Strict()
export class AppointmentRequest {
  @Field(flag())
  admin: boolean;
}

/** The answer when a user is added, appointed or dismissed. */
export class Appointment {
  @Field(text())
  user: string;

  @Field(flag())
  admin: boolean;
}

export class ChangedPassword {
  @Field(text())
  user: string;

  @Field(orNull(text()), 'The random password; null if the request had one.')
  password: string | null;
}

export class ChangedStanding {
  @Field(text())
  user: string;

  @Field(USER_STANDING)
  standing: Standing;
}

export class EndedSessions {
  @Field(text())
  user: string;

  @Field(whole(), 'The number of browsers in which the user was logged in.')
  ended: number;
}
