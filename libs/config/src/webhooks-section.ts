import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { NetworkList } from './address-rules';
import { Count } from './rules';

/** Events that are sent to addresses of users. */
export class WebhooksSection {
  @Count() perUserMax = 10;
  /** How long an address may need for its answer. */
  @IsInt() @Min(1_000) @Max(30_000) timeoutMs = 20_000;
  /** Addresses may begin with `http://`. */
  @IsBoolean() mayBeHttp = false;
  /** Private addresses and networks that events may be sent to. */
  @NetworkList() allowedNetworks: string[] = [];
  /** How long deliveries are kept. */
  @IsInt() @Min(1) @Max(365) keptDays = 30;
  /** A webhook is disabled when more events wait for it. */
  @Count() waitingMax = 100_000;
}
