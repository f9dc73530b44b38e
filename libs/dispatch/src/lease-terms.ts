import { jsonBytes, MESSAGE_BYTES_MAX, type Lease } from '@proctor/contracts';
import type { DispatchedRun } from './journal-records';
import type { DispatchSettings } from './settings';

/**
 * The limit of a lease; the rest of its message is for the other parts of the answer. A configuration that leaves no
 * space is refused.
 */
const LEASE_BYTES_MAX = MESSAGE_BYTES_MAX - 24 * 1024;

/** The maximum number of bytes of a UTF-16 unit in a message, in the form \uXXXX. */
const UNIT_BYTES_MAX = 6;

/** The lease for a worker: the data of the run with the present configuration of the deployment. */
export function leaseOf(run: DispatchedRun, settings: DispatchSettings): Lease {
  const { suite, arch } = run;
  const sources = [...new Set(run.extraAptSources)];
  return {
    runId: run.runId,
    attempt: run.attempt,
    grantEpoch: run.grantEpoch,
    ttlMs: settings.leaseTtlMs,
    renewEveryMs: settings.leaseRenewMs,
    package: run.package,
    suite,
    arch,
    backend: run.backend,
    variant: run.variant,
    trigger: run.trigger,
    pinPackages: run.pinPackages,
    extraAptSources: sources.flatMap((name) => settings.extraAptSources.get(name) ?? []),
    rejectedVersions: settings.rejectedVersions(run.package, suite, arch),
    isPrivate: run.isPrivate,
  };
}

/**
 * Why the run cannot be granted with the present configuration, for people: an extra apt source is gone, or the message
 * with its lease would be too long. Such a run waits.
 */
export function whyNotLeasable(run: DispatchedRun, settings: DispatchSettings): string | undefined {
  const missing = run.extraAptSources.find((name) => !settings.extraAptSources.has(name));
  if (missing !== undefined) return `the extra apt source ${missing} is no longer configured`;
  if (isShort(run, settings)) return undefined;
  const bytes = jsonBytes(leaseOf(run, settings));
  if (bytes <= LEASE_BYTES_MAX) return undefined;
  const parts = 'trigger, pins, extra apt sources and rejected versions';
  return `its lease has no room in a message: ${bytes} bytes with ${parts}, of at most ${LEASE_BYTES_MAX}`;
}

/** A quick check, so that most runs need not be measured. */
function isShort(run: DispatchedRun, settings: DispatchSettings): boolean {
  if (run.extraAptSources.length > 0) return false;
  if (settings.rejectedVersions(run.package, run.suite, run.arch).length > 0) return false;
  const units = run.pinPackages.reduce(
    (sum, [spec, suite]) => sum + spec.length + suite.length + 1,
    run.trigger?.length ?? 0,
  );
  return units * UNIT_BYTES_MAX < LEASE_BYTES_MAX / 2;
}
