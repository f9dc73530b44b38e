import { BaseRpcContext } from '@nestjs/microservices/ctx-host/base-rpc.context.js';

/** What a handler receives in addition to the payload: `@Ctx() context: BusContext`. */
export class BusContext extends BaseRpcContext<
  [scope: string, subject: string, redelivered: boolean, from?: string | undefined]
> {
  /** The architecture or worker that the subject names. */
  get scope(): string {
    return this.args[0];
  }

  get subject(): string {
    return this.args[1];
  }

  /** Whether a report was delivered before; false for requests and signals. */
  get isRedelivered(): boolean {
    return this.args[2];
  }

  /** The IP address that a request came from, if known; see BusMessage. */
  get from(): string | undefined {
    return this.args[3];
  }
}
