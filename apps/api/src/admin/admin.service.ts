import { Injectable } from '@nestjs/common';
import { Decisions } from '@proctor/database';
import type { PauseScope, Requestor } from '@proctor/database';
import { OrderSignal } from '../dispatchers/order-signal';
import { notFound, Problem } from '../http/problem';
import type { DrainRequest, PauseRequest, RestoreRequest, ResumeRequest, ScopeRequest } from './admin.dto';
import { drainObject, pauseObject, scopeName } from './decision-object';
import type { Decided, DrainObject, PauseObject, TrustObject } from './decision-object';

/** Each decision is committed when its method resolves; a later one replaces it. The dispatchers follow. */
@Injectable()
export class AdminService {
  constructor(
    private readonly store: Decisions,
    private readonly signal: OrderSignal,
  ) {}

  async decisions(): Promise<{ pauses: PauseObject[]; drains: DrainObject[] }> {
    const [pauses, drains] = await Promise.all([this.store.pauses(), this.store.drains()]);
    return { pauses: pauses.map(pauseObject), drains: drains.map(drainObject) };
  }

  /** Nothing of the scope is started any more; what runs goes on. */
  async pause({ reason, ...asked }: PauseRequest, by: Requestor): Promise<Decided<PauseObject>> {
    const scope = scopeOf(asked);
    await this.store.pause(scope, by, reason);
    this.signal.send(scope.arch);
    return { ...scope, by: by.userName, reason };
  }

  /** @throws Problem 404 when there is no pause of this very scope */
  async resume({ reason, ...asked }: ResumeRequest, by: Requestor): Promise<PauseScope> {
    const scope = scopeOf(asked);
    if (!(await this.store.resume(scope, by, reason))) {
      throw notFound(`${scopeName(scope)} is not paused.`);
    }
    this.signal.send(scope.arch);
    return scope;
  }

  /** The worker, which need not be known, finishes what it has and gets no more. */
  async drain({ worker, reason }: DrainRequest, by: Requestor): Promise<Decided<DrainObject>> {
    await this.store.drain(worker, by, reason);
    this.signal.send(null);
    return { worker, by: by.userName, reason };
  }

  /** @throws Problem 404 when it is not drained */
  async undrain({ worker, reason }: RestoreRequest, by: Requestor): Promise<{ worker: string }> {
    if (!(await this.store.undrain(worker, by, reason))) throw notFound(`Worker ${worker} is not drained.`);
    this.signal.send(null);
    return { worker };
  }

  /**
   * Whatever is held against the worker is forgotten.
   * @throws Problem 404 when no such worker is known; 409 when it is sound
   */
  async trust({ worker, reason }: RestoreRequest, by: Requestor): Promise<TrustObject> {
    const architectures = await this.store.trust(worker, by, reason);
    if (architectures === 'unknown') throw notFound(`No worker ${worker} is known.`);
    if (architectures === 'sound') throw new Problem(409, `Worker ${worker} is sound already.`);
    for (const arch of architectures) this.signal.send(arch);
    return { worker, architectures, by: by.userName, reason: reason ?? null };
  }
}

function scopeOf({ suite, arch }: ScopeRequest): PauseScope {
  return { suite: suite ?? null, arch: arch ?? null };
}
