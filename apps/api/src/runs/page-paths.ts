import { packagePrefix } from '@proctor/contracts';

/** Where a package has runs. */
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

/** The page of a run: `/packages/h/hello/sid/amd64/12/`. */
export function runPath(run: Place & { runId: number }): string {
  return `${historyPath(run)}${run.runId}/`;
}
