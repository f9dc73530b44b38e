import type {
  DecisionList,
  DrainResource,
  DrainRequest,
  NewDrain,
  NewPause,
  PauseRequest,
  QuarantineResource,
  QuarantineRequest,
  RestoreRequest,
  ResumeRequest,
  TrustResource,
  UndrainedWorker,
} from '@proctor/resources';
import { Injectable } from '@nestjs/common';
import { describe, type PauseScope, scopeName, scopeOf, timestamp } from '@proctor/contracts';
import { Decisions, type DrainedWorker } from '@proctor/database';
import { type Administrator, Deployment, Signals } from './ports';
import { Refusal } from './requests';

/**
 * The decisions of administrators about queues and workers. Each decision is committed when its method resolves; a
 * later one replaces it. The dispatchers follow.
 */
@Injectable()
export class QueuesAndWorkers {
  constructor(
    private readonly decisions: Decisions,
    private readonly deployment: Deployment,
    private readonly signals: Signals,
  ) {}

  /** The present pauses and drains, oldest first. */
  async list(): Promise<DecisionList> {
    const [pauses, drains] = await Promise.all([this.decisions.pauses(), this.decisions.drains()]);
    return { pauses, drains: drains.map(drainDecision) };
  }

  /**
   * Pauses a scope: its runs no longer start; running tests continue.
   * @throws Refusal (invalid) if a name is not configured: a misspelt name would pause nothing
   */
  async pause({ reason, ...place }: PauseRequest, by: Administrator): Promise<NewPause> {
    await requireTestedPlaces(this.deployment, place);
    const scope = scopeOf(place);
    await this.decisions.pause(scope, by, reason);
    await this.signals.orders(scope.arch);
    return { ...scope, by: by.userName, reason };
  }

  /** @throws Refusal (unknown) if exactly this scope is not paused */
  async resume({ reason, ...place }: ResumeRequest, by: Administrator): Promise<PauseScope> {
    const scope = scopeOf(place);
    if (!(await this.decisions.resume(scope, by, reason))) {
      throw new Refusal('unknown', `${scopeName(scope)} is not paused`);
    }
    await this.signals.orders(scope.arch);
    return scope;
  }

  /**
   * Drains a worker, known or not: it finishes its running tests, until the deadline if there is one, and gets no
   * others.
   */
  async drain(
    { worker, reason, deadline_seconds: seconds }: DrainRequest,
    by: Administrator,
  ): Promise<NewDrain> {
    await this.decisions.drain(worker, by, reason, seconds ?? null);
    await this.signals.orders(null);
    return { worker, by: by.userName, reason };
  }

  /** @throws Refusal (unknown) if the worker is not drained */
  async undrain({ worker, reason }: RestoreRequest, by: Administrator): Promise<UndrainedWorker> {
    if (!(await this.decisions.undrain(worker, by, reason)))
      throw new Refusal('unknown', `worker ${worker} is not drained`);
    await this.signals.orders(null);
    return { worker };
  }

  /**
   * Quarantines a worker: it gets no runs until it passes a canary test or a user trusts it.
   * @throws Refusal (unknown) if no such worker is registered
   */
  async quarantine({ worker, reason }: QuarantineRequest, by: Administrator): Promise<QuarantineResource> {
    const architectures = await this.decisions.quarantine(worker, by, reason);
    if (architectures.length === 0) throw new Refusal('unknown', `no worker ${worker} is registered`);
    for (const arch of architectures) await this.signals.orders(arch);
    return { worker, architectures, by: by.userName, reason };
  }

  /**
   * Forgets everything against a worker.
   * @throws Refusal: `unknown` if there is no such worker; `conflict` if it is sound
   */
  async trust({ worker, reason }: RestoreRequest, by: Administrator): Promise<TrustResource> {
    const architectures = await this.decisions.trust(worker, by, reason);
    if (architectures === 'unknown') throw new Refusal('unknown', `no worker ${worker} is known`);
    if (architectures === 'sound') throw new Refusal('conflict', `worker ${worker} is sound already`);
    for (const arch of architectures) await this.signals.orders(arch);
    return { worker, architectures, by: by.userName, reason: reason ?? null };
  }
}

/**
 * @param names by their fields
 * @throws Refusal (invalid) for one that is not in the configuration
 */
export async function requireTestedPlaces(
  deployment: Deployment,
  names: { suite?: string; arch?: string; architectures?: string[] },
): Promise<void> {
  const { suites, architectures } = await deployment.testedPlaces();
  const check = (field: string, name: string | undefined, choices: string[]): void => {
    if (name === undefined || choices.includes(name)) return;
    throw new Refusal(
      'invalid',
      `${field} ${describe(name)} is unknown; there is ${choices.join(', ')}`,
      field,
    );
  };
  check('suite', names.suite, suites);
  check('arch', names.arch, architectures);
  for (const arch of names.architectures ?? []) check('architectures', arch, architectures);
}

function drainDecision({ worker, by, reason, since, deadline }: DrainedWorker): DrainResource {
  return { worker, by, reason, since, deadline: deadline && timestamp(deadline) };
}
