import { Inject, Injectable } from '@nestjs/common';
import { Decisions } from '@proctor/database';
import type { PauseScope, Requestor } from '@proctor/database';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { OrderSignal } from '../dispatchers/order-signal';
import { describe, notFound, Problem, refused } from '../http/problem';
import { readParameters } from '../shape/read-parameters';
import type { Parameters } from '../transport/parameters';
import { drainObject, pauseObject, scopeName } from './decision-object';
import type { Decided, DrainObject, PauseObject, TrustObject } from './decision-object';
import { DRAIN_KEYS, DrainShape, PAUSE_KEYS, PauseShape, ResumeShape, RestoreShape } from './decision-shapes';

/** Each decision is in the books when its method resolves; whoever decides again replaces it. The dispatchers follow. */
@Injectable()
export class AdminService {
  constructor(
    private readonly store: Decisions,
    private readonly signal: OrderSignal,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  async decisions(): Promise<{ pauses: PauseObject[]; drains: DrainObject[] }> {
    const [pauses, drains] = await Promise.all([this.store.pauses(), this.store.drains()]);
    return { pauses: pauses.map(pauseObject), drains: drains.map(drainObject) };
  }

  /**
   * Nothing of the scope is started any more; what runs goes on.
   * @throws Problem 400
   */
  async pause(parameters: Parameters, by: Requestor): Promise<Decided<PauseObject>> {
    const read = readParameters(PauseShape, PAUSE_KEYS, parameters);
    const { suites, architectures } = this.configuration.server;
    checkKnown('suite', read.suite, suites, parameters);
    checkKnown('arch', read.arch, architectures, parameters);
    const scope = scopeOf(read);
    await this.store.pause(scope, by, read.reason);
    this.signal.send(scope.arch);
    return { ...scope, by: by.userName, reason: read.reason };
  }

  /** @throws Problem 400; 404 when there is no pause of this very scope */
  async resume(parameters: Parameters, by: Requestor): Promise<PauseScope> {
    const read = readParameters(ResumeShape, PAUSE_KEYS, parameters);
    const scope = scopeOf(read);
    if (!(await this.store.resume(scope, by, read.reason))) {
      throw notFound(`${scopeName(scope)} is not paused.`);
    }
    this.signal.send(scope.arch);
    return scope;
  }

  /**
   * The worker, which need not be known, finishes what it has and gets no more.
   * @throws Problem 400
   */
  async drain(parameters: Parameters, by: Requestor): Promise<Decided<DrainObject>> {
    const { worker, reason } = readParameters(DrainShape, DRAIN_KEYS, parameters);
    await this.store.drain(worker, by, reason);
    this.signal.send(null);
    return { worker, by: by.userName, reason };
  }

  /** @throws Problem 400; 404 when it is not drained */
  async undrain(parameters: Parameters, by: Requestor): Promise<{ worker: string }> {
    const { worker, reason } = readParameters(RestoreShape, DRAIN_KEYS, parameters);
    if (!(await this.store.undrain(worker, by, reason))) throw notFound(`Worker ${worker} is not drained.`);
    this.signal.send(null);
    return { worker };
  }

  /**
   * Whatever is held against the worker is forgotten.
   * @throws Problem 400; 404 when nobody knows such a worker; 409 when it is sound
   */
  async trust(parameters: Parameters, by: Requestor): Promise<TrustObject> {
    const { worker, reason } = readParameters(RestoreShape, DRAIN_KEYS, parameters);
    const architectures = await this.store.trust(worker, by, reason);
    if (architectures === 'unknown') throw notFound(`No worker ${worker} is known.`);
    if (architectures === 'sound') throw new Problem(409, `Worker ${worker} is sound already.`);
    for (const arch of architectures) this.signal.send(arch);
    return { worker, architectures, by: by.userName, reason: reason ?? null };
  }
}

function scopeOf({ suite, arch }: ResumeShape): PauseScope {
  return { suite: suite ?? null, arch: arch ?? null };
}

/** @throws Problem 400 */
function checkKnown(key: string, name: string | undefined, known: string[], parameters: Parameters): void {
  if (name === undefined || known.includes(name)) return;
  const pointer = parameters.get(key)?.pointer ?? null;
  throw refused(`${key} ${describe(name)} is unknown; there is ${known.join(', ')}.`, pointer);
}
