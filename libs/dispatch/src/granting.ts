import type { Lease, LeaseReply, LeaseRequest } from '@proctor/contracts';
import type { DispatcherState } from './dispatcher-state';
import { endWithoutResult } from './holding';
import type { DispatchedRun, Write } from './journal';
import { isHeldBy } from './leases';
import type { Step } from './messages';
import type { CanExecute } from './suite-queue';
import { testbedState } from './workers';

/** A free slot asks: it gets the lease that it already holds, else the best waiting run that it can execute. */
export function leaseRequested(state: DispatcherState, request: LeaseRequest, now: number): Step<'lease'> {
  state.workers.asked(request, now);
  const writes: Write[] = [];
  const held = state.leases.ofSlot(request);
  if (held && isHeldBy(held.lease, request)) {
    if (request.problem !== undefined) return { writes, reply: answer(state, request, null) };
    state.leases.renew(held, now);
    return { writes, reply: answer(state, request, held.run) };
  }
  if (held) {
    const reason = `worker ${request.worker} was started anew`;
    writes.push(endWithoutResult(state, held.run, { outcome: 'lost', reason }, now));
  }
  const run = request.problem === undefined ? state.queues.best(abilityOf(request)) : undefined;
  if (run) writes.push(state.grant(run, request, now));
  return { writes, reply: answer(state, request, run ?? null) };
}

function abilityOf(request: LeaseRequest): CanExecute {
  const ready = request.testbeds.filter((testbed) => testbed.state === 'ready');
  const testbeds = new Set(ready.map((testbed) => testbedKey(testbed.suite, testbed.backend)));
  const variants = new Set(request.variants);
  return (suite, backend, variant) => testbeds.has(testbedKey(suite, backend)) && variants.has(variant);
}

function answer(state: DispatcherState, request: LeaseRequest, run: DispatchedRun | null): LeaseReply {
  return {
    ...state.answer,
    ask: request.ask,
    lease: run && leaseOf(state, run),
    wanted: wantedTestbeds(state, request),
    askAgainMs: state.settings.askAgainMs,
  };
}

function leaseOf(state: DispatcherState, run: DispatchedRun): Lease {
  const { runId, attempt, suite, arch, backend, variant, trigger, pinPackages } = run;
  const { leaseTtlMs: ttlMs, leaseRenewMs: renewEveryMs, extraAptSources: known } = state.settings;
  const extraAptSources = run.extraAptSources.flatMap((name) => known.get(name) ?? []);
  return {
    ...{ runId, attempt, ttlMs, renewEveryMs, package: run.package, suite, arch, backend, variant, trigger },
    pinPackages,
    extraAptSources,
    rejectedVersions: state.settings.rejectedVersions(run.package, suite, arch),
  };
}

/** What waiting runs need and the worker could build but has not. */
function wantedTestbeds(state: DispatcherState, request: LeaseRequest): LeaseReply['wanted'] {
  if (request.problem !== undefined) return [];
  const wanted = new Map<string, { suite: string; backend: string }>();
  for (const { suite, backend, variant } of state.queues.usedLanes()) {
    if (request.variants.includes(variant) && testbedState(request, suite, backend) === 'absent') {
      wanted.set(testbedKey(suite, backend), { suite, backend });
    }
  }
  return [...wanted.values()];
}

/** A space cannot be part of a name. */
function testbedKey(suite: string, backend: string): string {
  return `${suite} ${backend}`;
}
