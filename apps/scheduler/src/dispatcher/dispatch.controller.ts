import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { BusContext } from '@proctor/bus';
import {
  ExplainRequest,
  LeaseRequest,
  parseMessage,
  RenewRequest,
  ReturnRequest,
  StatusRequest,
  SUBJECTS,
} from '@proctor/contracts';
import type { ExplainReply, LeaseReply, RenewReply, ReturnReply, StatusReply } from '@proctor/contracts';
import type { MessageKind, MessageOf, Replies } from '@proctor/dispatch';
import { orNotNow } from '../passing';
import { Dispatchers } from './dispatchers';

/** What workers and the api ask of a dispatcher; every message is validated before it enters the mailbox. */
@Controller()
export class DispatchController {
  constructor(private readonly dispatchers: Dispatchers) {}

  @MessagePattern(SUBJECTS.lease)
  lease(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<LeaseReply> {
    return this.ask(scope, { kind: 'lease', request: parseMessage(LeaseRequest, payload) });
  }

  @MessagePattern(SUBJECTS.renew)
  renew(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<RenewReply> {
    return this.ask(scope, { kind: 'renew', request: parseMessage(RenewRequest, payload) });
  }

  @MessagePattern(SUBJECTS.return)
  return(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<ReturnReply> {
    return this.ask(scope, { kind: 'return', request: parseMessage(ReturnRequest, payload) });
  }

  @MessagePattern(SUBJECTS.explain)
  explain(@Payload() payload: unknown, @Ctx() { scope }: BusContext): Promise<ExplainReply> {
    const { runId } = parseMessage(ExplainRequest, payload);
    return this.ask(scope, { kind: 'explain', runId });
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

  private ask<K extends MessageKind>(arch: string, message: MessageOf<K>): Promise<Replies[K]> {
    return orNotNow(() => this.dispatchers.ask<K>(arch, message));
  }
}
