import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { BusContext } from '@proctor/bus';
import { REQUEST_PATTERNS, SourceNamesRequest, type SourceNamesReply } from '@proctor/contracts';
import { retryLater } from '../dispatcher/retry-later';
import { parseRequest } from '../dispatcher/worker-request';
import { SourceNamesIntake } from './source-names-intake';

/** Receives the lists of packages of suites from workers. */
@Controller()
export class SourcesController {
  constructor(private readonly intake: SourceNamesIntake) {}

  @MessagePattern(REQUEST_PATTERNS.sources)
  sources(@Payload() payload: unknown, @Ctx() context: BusContext): Promise<SourceNamesReply> {
    const request = parseRequest(SourceNamesRequest, payload, context);
    return retryLater(() => this.intake.receive(context.scope, request));
  }
}
