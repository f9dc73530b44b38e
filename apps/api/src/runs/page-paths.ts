import { packagePrefix } from '@proctor/contracts';

/** A package on one suite and architecture. */
interface Place {
  package: string;
  suite: string;
  arch: string;
}

/** The page of a package: `/packages/libf/libfoo/`. */
export function packagePath(name: string): string {
  return `/packages/${packagePrefix(name)}/${name}/`;
}

/** The page of a package's history on a suite and architecture: `/packages/h/hello/sid/amd64/`. */
export function historyPath({ package: name, suite, arch }: Place): string {
  return `${packagePath(name)}${suite}/${arch}/`;
}

type RunKey = Place & { runId: number };

/** The page of a run: `/packages/h/hello/sid/amd64/12/`. */
export function runPath(run: RunKey): string {
  return `${historyPath(run)}${run.runId}/`;
}

/** A short path that redirects to the page of a run, for callers that do not know its place. */
export function shortRunPath(runId: number): string {
  return `/runs/${runId}`;
}

/** The page of a run's log, by default of its latest attempt. */
export function logPath(run: RunKey, attempt: number | null = null): string {
  return `${runPath(run)}log${attempt === null ? '' : `?attempt=${attempt}`}`;
}

/** A line on the page of a run's log. */
export function logLinePath(run: RunKey, line: number): string {
  return `${logPath(run)}?from=${line}#L${line}`;
}

/** The page of a run's artifacts. */
export function artifactsPath(run: RunKey): string {
  return `${runPath(run)}artifacts/`;
}

/** The page that compares a run with an earlier one. */
export function comparisonPath(before: number, after: number): string {
  return `/compare/${before}...${after}`;
}

/** The page of an error by its signature. */
export function errorPath(signature: string): string {
  return `/status/errors/${signature}`;
}
