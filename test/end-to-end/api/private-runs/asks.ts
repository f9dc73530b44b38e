import { packagePrefix } from '@proctor/contracts';

/** Names in requests: those that all readers know, and those that only one user knows, if there are any. */
export interface Names {
  suites: string[];
  /** With the suite on which each is tested. */
  packages: { name: string; suite: string }[];
  runs: { runId: number; name: string; suite: string; isBobs: boolean }[];
}

/** One request of a stranger. */
export interface Ask {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
export const JSON_BODY = { 'Content-Type': 'application/json' };

export type Asks = (names: Names) => Ask[];
export const get = (...paths: string[]): Ask[] => paths.map((path) => ({ method: 'GET', path }));
export const post = (path: string, body: object): Ask => {
  return { method: 'POST', path, headers: JSON_BODY, body: JSON.stringify(body) };
};

/** Requests only the head of an answer: a stream has no end. */
export const asHead = (ask: Ask): Ask => ({ ...ask, method: 'HEAD' });

export const dataOf = ({ name, suite }: { name: string; suite: string }): string =>
  `${suite}/amd64/${packagePrefix(name)}/${name}`;

export const packagePage = ({ name }: { name: string }): string =>
  `/packages/${packagePrefix(name)}/${name}/`;
export const pageOf = ({ name, suite }: { name: string; suite: string }): string =>
  `/packages/${packagePrefix(name)}/${name}/${suite}/amd64`;

export const perSuite =
  (path: (place: string) => string): Asks =>
  ({ suites }) =>
    get(...suites.map((suite) => path(`${suite}/amd64`)));

export const perPackage =
  (path: (at: Names['packages'][number]) => string): Asks =>
  ({ packages }) =>
    get(...packages.map(path));

export const perRun =
  (path: (run: Names['runs'][number]) => string): Asks =>
  ({ runs }) =>
    get(...runs.map(path));

export const fileOf = (file: string): Asks =>
  perRun((run) => `/data/autopkgtest/${dataOf(run)}/${run.runId}/${file}`);
