import type { ListedStatus } from '@proctor/database';
import { packagePath, runPath } from '../../runs/page-paths';
import { changeOf } from '../status/package-columns';

/** Changes shown of each kind. */
const SHOWN_MAX = 5;

/** A package that began to fail, or passes again, on the architectures of a suite. */
interface ChangeView {
  package: string;
  packageUrl: string;
  suite: string;
  version: string;
  at: Date;
  /** The architectures by name, each with the run that changed it. */
  places: { arch: string; runUrl: string }[];
}

/** The latest changes of each kind, the newest first. @param statuses the last to change first */
export function changesView(statuses: ListedStatus[]): { failing: ChangeView[]; passing: ChangeView[] } {
  const groups = new Map<string, ChangeView & { isFailure: boolean }>();
  for (const status of statuses) {
    const { package: name, suite, arch } = status;
    const { isFailure, version, date, runId } = changeOf(status);
    const key = [isFailure, name, suite, version].join(' ');
    const group = groups.get(key) ?? {
      isFailure,
      package: name,
      packageUrl: packagePath(name),
      suite,
      version,
      at: date,
      places: [],
    };
    group.places.push({ arch, runUrl: runPath({ ...status, runId }) });
    groups.set(key, group);
  }
  const changes = [...groups.values()].map((group) => ({
    ...group,
    places: group.places.sort((one, other) => (one.arch < other.arch ? -1 : 1)),
  }));
  const ofKind = (isWanted: boolean): ChangeView[] =>
    changes.filter(({ isFailure }) => isFailure === isWanted).slice(0, SHOWN_MAX);
  return { failing: ofKind(true), passing: ofKind(false) };
}
