import { IsOptional, IsString, Length, Matches, ValidateBy } from 'class-validator';
import { InSchema } from './in-schema';
import { together } from './rules';

const NAME_LENGTH_MAX = 60;
const URL_LENGTH_MAX = 1_000;

/** Placeholders of an address: the package, and where and in which version it was tested. */
const LINK_PLACEHOLDERS = ['package', 'suite', 'arch', 'version'] as const;

const KNOWN = `\\{(${LINK_PLACEHOLDERS.join('|')})\\}`;
/** The host has no placeholder, so no value of a run decides which site a link opens. */
const LINK_URL = new RegExp(`^https?://[^/?#@{}\\\\\\s"'<>]+([/?#]([^{}\\s"'<>]|${KNOWN})*)?$`);

/** The path of an archive, in which {time} stands. */
const ARCHIVE_URL = /^https?:\/\/[^/?#@{}\\\s"'<>]+\/[^{}\s"'<>]*\{time\}[^{}\s"'<>]*$/;

/** An http or https address that names a package. */
function LinkUrl(): PropertyDecorator {
  return together([
    InSchema({ type: 'string', pattern: LINK_URL.source, maxLength: URL_LENGTH_MAX }),
    ValidateBy({
      name: 'linkUrl',
      validator: {
        validate: (url: unknown) =>
          typeof url === 'string' &&
          url.length <= URL_LENGTH_MAX &&
          LINK_URL.test(url) &&
          URL.canParse(url.replace(/[{}]/g, '')),
        defaultMessage: () =>
          `url must be an address with https:// or http:// and a host, and may have {${LINK_PLACEHOLDERS.join('}, {')}} behind the host`,
      },
    }),
  ]);
}

/** A link to another site about a package. */
export class PackageLinkSection {
  @IsString() @Length(1, NAME_LENGTH_MAX) @Matches(/^\P{Cc}*$/u) name: string;
  @LinkUrl() url: string;
  /** The archive as it was at a time, for apt. */
  @IsOptional()
  @IsString()
  @Length(1, URL_LENGTH_MAX)
  @Matches(ARCHIVE_URL, {
    message:
      'archive must be an address with https:// or http:// and a host, and have {time} behind the host',
  })
  archive?: string;
}
