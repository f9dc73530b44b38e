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

/**
 * Receives the requests of workers and the api for a dispatcher. Each message is validated before it enters the
 * mailbox.
 */
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
    this.streams.onRequest(request.worker);
    if (context.from !== undefined) this.sightings.recordAddress(request.worker, context.from);
    return this.request(context.scope, { kind: 'lease', request });
  }

  @MessagePattern(REQUEST_PATTERNS.renew)
  renew(@Payload() payload: unknown, @Ctx() context: BusContext): Promise<RenewReply> {
    return this.request(context.scope, {
      kind: 'renew',
      request: parseRequest(RenewRequest, payload, context),
    });
  }

  @MessagePattern(REQUEST_PATTERNS.return)
  async return(@Payload() payload: unknown, @Ctx() context: BusContext): Promise<ReturnReply> {
    const request = parseRequest(ReturnRequest, payload, context);
    const reply = await this.request(context.scope, { kind: 'return', request });
    if (reply.returned) this.streams.deleteLog(request.worker, request);
    return reply;
  }

  @MessagePattern(SUBJECTS.explain)
  explain(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<ExplainReply> {
    const { runId, ...viewer } = parseMessage(ExplainRequest, payload);
    return this.request(scope, { kind: 'explain', runId, viewer });
  }

  @MessagePattern(SUBJECTS.status)
  status(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<StatusReply> {
    return this.request(scope, { kind: 'status', request: parseMessage(StatusRequest, payload) });
  }

  @EventPattern<string>(SUBJECTS.runsSubmitted)
  runsSubmitted(@Payload() _payload: unknown, @Ctx() { scope }: BusContext): void {
    this.dispatchers.readArrivalsSoon(scope);
  }

  @EventPattern<string>(SUBJECTS.ordersWaiting)
  ordersWaiting(@Payload() _payload: unknown, @Ctx() { scope }: BusContext): void {
    this.dispatchers.readOrdersSoon(scope);
  }

  @EventPattern<string>(SUBJECTS.workersChanged)
  workersChanged(@Payload() _payload: unknown, @Ctx() { scope }: BusContext): void {
    this.dispatchers.readOrdersSoon(scope);
  }

  private request<K extends MessageKind>(arch: string, message: MessageOf<K>): Promise<Replies[K]> {
    return retryLater(() => this.dispatchers.request<K>(arch, message));
  }
}
