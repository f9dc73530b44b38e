import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { InSchema, OfShape } from './in-schema';
import { Milliseconds, Section, together } from './rules';

const PROVIDERS_MAX = 20;
const ENTRIES_MAX = 100;
const TEXT_LENGTH_MAX = 200;

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** An address with https; http is allowed only on this machine, where no network is in between. */
function Issuer(): PropertyDecorator {
  return together([
    InSchema({ type: 'string', pattern: '^https?://' }),
    ValidateBy({
      name: 'issuer',
      validator: {
        validate: isIssuer,
        defaultMessage: () =>
          'issuer must be an address with https, without query, fragment and password; http is for this machine alone (localhost)',
      },
    }),
  ]);
}

function isIssuer(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname, search, hash, username, password } = new URL(value);
  const isPlain = [search, hash, username, password].every((part) => part === '');
  return isPlain && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname)));
}

/** A name of one line. */
function Text(): PropertyDecorator {
  const rules = [IsString(), Length(1, TEXT_LENGTH_MAX), Matches(/^\P{Cc}*$/u)];
  return together(rules);
}

function Texts(): PropertyDecorator {
  const oneLine = { each: true, message: 'each entry is a text of one line, 1 to 200 characters' };
  const rules = [
    IsArray(),
    ArrayNotEmpty(),
    ArrayMaxSize(ENTRIES_MAX),
    ArrayUnique(),
    IsString(oneLine),
    Length(1, TEXT_LENGTH_MAX, oneLine),
  ];
  return together(rules);
}

/** Users whose claim has one of these values, which is a text or a list of texts. */
export class ClaimSection {
  @Text() claim: string;
  @Texts() values: string[];
}

/** A provider of logins by OpenID Connect. */
export class ProviderSection {
  @Matches(/^[a-z0-9][a-z0-9-]{0,39}$/, {
    message: 'id must be at most 40 lower-case letters, digits and -, and begin with a letter or digit',
  })
  id: string;
  @Text() label: string;
  @Issuer() issuer: string;
  @Text() clientId: string;
  @IsOptional() @Text() clientSecretFile?: string;
  @Texts() scopes: string[] = ['openid', 'profile', 'email'];
  @Text() nameClaim = 'preferred_username';
  @IsOptional() @Section(() => ClaimSection) mayLogIn?: ClaimSection;
  @IsOptional() @Section(() => ClaimSection) administrators?: ClaimSection;
}

/** The minimum requirements for a password. */
export class PasswordPolicySection {
  @IsInt() @Min(8) @Max(100) lengthMin = 12;
  /** Minimum number of characters that are not part of the user's name, a common password or a sequence. */
  @IsInt() @Min(1) @Max(100) ownCharactersMin = 8;
  @IsInt() @Min(1) @Max(50) differentCharactersMin = 5;
}

/** How people log in on pages. */
export class LoginSection {
  @IsBoolean() password = true;
  @Section(() => PasswordPolicySection) passwordPolicy = new PasswordPolicySection();
  @Milliseconds() providerWaitMs = 10_000;
  @IsArray()
  @ArrayMaxSize(PROVIDERS_MAX)
  @ArrayUnique(({ id }: ProviderSection) => id, { message: 'each provider needs an id of its own' })
  @ValidateNested()
  @Type(() => ProviderSection)
  @OfShape(() => ProviderSection)
  providers: ProviderSection[] = [];
}
