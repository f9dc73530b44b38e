import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { ListeningHost, Path } from './address-rules';

/** How the connection to the relay is protected. */
const RELAY_TLS = ['starttls', 'tls', 'none'] as const;
type RelayTls = (typeof RELAY_TLS)[number];

/** The SMTP relay that takes the mails to users. */
export class MailSection {
  @ListeningHost() host: string;
  @IsInt() @Min(1) @Max(65535) port = 587;
  /** `starttls` refuses a relay that does not offer it. */
  @IsIn(RELAY_TLS) tls: RelayTls = 'starttls';
  /** The name and the file of the password for a relay that asks for them. */
  @IsOptional() @Matches(/^\P{Cc}{1,200}$/u, { message: 'user must be a text of one line' }) user?: string;
  @IsOptional() @Path() passwordFile?: string;
  /** The address that mails come from. */
  @Matches(/^[\w.+-]{1,64}@[a-z0-9.-]{1,200}$/i, { message: 'sender must be an address as ci@example.org' })
  sender: string;
  /** How long the relay may take for one mail. */
  @IsInt() @Min(1_000) @Max(300_000) timeoutMs = 60_000;
}
