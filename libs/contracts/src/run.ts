import { ValidateBy } from 'class-validator';

/** The largest id that a run can have: 2^53 - 1, up to which a JSON number is exact in every language. */
export const RUN_ID_MAX = Number.MAX_SAFE_INTEGER;

export function isRunId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/** Parses an id of decimal digits without leading zeros; null when the text is not one. */
export function runIdIn(text: string): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
  return isRunId(id) ? id : null;
}

/** The id of a run. */
export function IsRunId(): PropertyDecorator {
  return ValidateBy({
    name: 'isRunId',
    validator: {
      validate: isRunId,
      defaultMessage: (context) => `${context?.property} must be an integer from 1 to ${RUN_ID_MAX}`,
    },
  });
}

/** `[package spec, suite]`: the packages of the spec are taken from that suite. */
export type Pin = [spec: string, suite: string];

/** What is tested, where and how. Does not change after the run is accepted, except `priority`. */
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

/** The optional fields of a request that has none of them. */
export const NOTHING_ASKED = {
  trigger: null,
  pinPackages: [],
  extraAptSources: [],
} satisfies Partial<RunRequest>;
