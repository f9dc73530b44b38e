import type { LeaseRequest, WorkerFeature } from '@proctor/contracts';
import type { DispatchSettings } from './settings';

type Release = Pick<LeaseRequest, 'protocol' | 'features' | 'version'>;

/** Why a worker gets no run, for people: its program is too old. Undefined when it is not. */
export function whyOutdated(
  { protocol = 1, version }: Release,
  { workerProtocolMin }: Pick<DispatchSettings, 'workerProtocolMin'>,
): string | undefined {
  if (protocol >= workerProtocolMin) return undefined;
  const program = version === undefined ? 'its program' : `its program, version ${version},`;
  return `${program} is too old: it speaks protocol ${protocol}, and ${workerProtocolMin} is the oldest that gets runs; upgrade it`;
}

export function isWakeable(request: Release & Pick<LeaseRequest, 'wakeable'>): boolean {
  const wakeable: WorkerFeature = 'wakeable';
  return request.wakeable === true || (request.features?.includes(wakeable) ?? false);
}
