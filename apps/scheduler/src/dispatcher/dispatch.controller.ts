import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { BusContext } from '@proctor/bus';
import {
  ExplainRequest,
  LeaseRequest,
  parseMessage,
  RenewRequest,
  REQUEST_PATTERNS,
  ReturnRequest,
  StatusRequest,
  SUBJECTS,
} from '@proctor/contracts';
import type { ExplainReply, LeaseReply, RenewReply, ReturnReply, StatusReply } from '@proctor/contracts';
import type { MessageKind, MessageOf, Replies } from '@proctor/dispatch';
import { retryLater } from './retry-later';
import { Dispatchers } from './dispatchers';
import { Sightings } from './sightings';
import { parseRequest } from './worker-request';
import { WorkerStreams } from './worker-streams';

/** What workers and the api ask of a dispatcher; every message is validated before it enters the mailbox. */
@Controller()
export class DispatchController {
  constructor(
    private readonly dispatchers: Dispatchers,
    private readonly streams: WorkerStreams,
    private readonly sightings: Sightings,
  ) {}

  @MessagePattern(REQUEST_PATTERNS.lease)
  lease(@Payload() payload: unknown, @Ctx() context: BusContext): Promise<LeaseReply> {
    const request = parseRequest(LeaseRequest, payload, context);
    this.streams.heard(request.worker);
    if (context.from !== undefined) this.sightings.heardFrom(request.worker, context.from);
    return this.ask(context.scope, { kind: 'lease', request });
  }

  @MessagePattern(REQUEST_PATTERNS.renew)
  renew(@Payload() payload: unknown, @Ctx() context: BusContext): Promise<RenewReply> {
    return this.ask(context.scope, { kind: 'renew', request: parseRequest(RenewRequest, payload, context) });
  }

  @MessagePattern(REQUEST_PATTERNS.return)
  async return(@Payload() payload: unknown, @Ctx() context: BusContext): Promise<ReturnReply> {
    const request = parseRequest(ReturnRequest, payload, context);
    const reply = await this.ask(context.scope, { kind: 'return', request });
    if (reply.returned) this.streams.forgetLog(request.worker, request);
    return reply;
  }

  @MessagePattern(SUBJECTS.explain)
  explain(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<ExplainReply> {
    const { runId, ...viewer } = parseMessage(ExplainRequest, payload);
    return this.ask(scope, { kind: 'explain', runId, viewer });
  }

  @MessagePattern(SUBJECTS.status)
  status(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<StatusReply> {
    return this.ask(scope, { kind: 'status', request: parseMessage(StatusRequest, payload) });
  }

  @EventPattern<string>(SUBJECTS.runsSubmitted)
  runsSubmitted(@Payload() _payload: unknown, @Ctx() { scope }: BusContext): void {
    this.dispatchers.lookForArrivals(scope);
  }

  @EventPattern<string>(SUBJECTS.ordersWaiting)
  ordersWaiting(@Payload() _payload: unknown, @Ctx() { scope }: BusContext): void {
    this.dispatchers.lookForOrders(scope);
  }

  @EventPattern<string>(SUBJECTS.workersChanged)
  workersChanged(@Payload() _payload: unknown, @Ctx() { scope }: BusContext): void {
    this.dispatchers.lookForOrders(scope);
  }

  private ask<K extends MessageKind>(arch: string, message: MessageOf<K>): Promise<Replies[K]> {
    return retryLater(() => this.dispatchers.ask<K>(arch, message));
  }
}
