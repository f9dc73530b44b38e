import type { Bus } from '@proctor/bus';
import {
  requestSubject,
  type LeaseReply,
  type LeaseRequest,
  type MachineState,
  type RenewReply,
  type RenewRequest,
  type ReturnReply,
  type ReturnRequest,
} from '@proctor/contracts';
import type { DispatcherFeatures } from './dispatcher-features';
import type { LeaseClient } from './ports';

/** Longer than the slots wait: a late grant is still received, and returned. */
const ANSWER_TIMEOUT_MS = 30_000;

export class BusLeaseClient implements LeaseClient {
  constructor(
    private readonly bus: Bus,
    /** Resolves when the next life of the worker will know this one. */
    private readonly life: { whenRecorded(): Promise<void> },
    private readonly features: Pick<DispatcherFeatures, 'onAnswer'>,
    /** The present state of the machine, which each request and renewal has; undefined if it is not known. */
    private readonly machineState: () => MachineState | undefined,
  ) {}

  async request(arch: string, request: LeaseRequest): Promise<LeaseReply> {
    await this.life.whenRecorded();
    const subject = requestSubject(arch, request.worker, 'lease');
    const reply = await this.bus.request<LeaseReply>(subject, this.withState(request), ANSWER_TIMEOUT_MS);
    this.features.onAnswer(reply);
    return reply;
  }

  renew(arch: string, request: RenewRequest): Promise<RenewReply> {
    const subject = requestSubject(arch, request.worker, 'renew');
    return this.bus.request(subject, this.withState(request), ANSWER_TIMEOUT_MS);
  }

  return(arch: string, request: ReturnRequest): Promise<ReturnReply> {
    return this.bus.request(requestSubject(arch, request.worker, 'return'), request, ANSWER_TIMEOUT_MS);
  }

  private withState<Request extends LeaseRequest | RenewRequest>(request: Request): Request {
    const machine = this.machineState();
    return machine === undefined ? request : { ...request, machine };
  }
}
