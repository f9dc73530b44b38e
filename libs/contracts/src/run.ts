/** The largest id that a run can have: PostgreSQL's integer. */
export const RUN_ID_MAX = 2 ** 31 - 1;

/** `[package spec, suite]`: the packages of the spec are taken from that suite. */
export type Pin = [spec: string, suite: string];

/** What is tested, where and how: fixed when the run is accepted, except `priority`. */
export interface RunRequest {
  package: string;
  suite: string;
  arch: string;
  /** Resolved at submission: the request's, else the package's, else the deployment's default. */
  backend: string;
  /** Name of the autopkgtest variant. */
  variant: string;
  /** 1 to 10; 10 goes first. */
  priority: number;
  trigger: string | null;
  pinPackages: Pin[];
  /** Names of entries of the deployment's list of extra apt sources. */
  extraAptSources: string[];
  isPrivate: boolean;
}
