import type { RunRequest } from '@proctor/contracts';

/** What becomes of a request that names the package hello and nothing else. */
export function runRequest(changes: Partial<RunRequest> = {}): RunRequest {
  return {
    package: 'hello',
    suite: 'bookworm',
    arch: 'amd64',
    backend: 'unshare',
    variant: 'autopkgtest',
    priority: 5,
    trigger: null,
    pinPackages: [],
    extraAptSources: [],
    isPrivate: false,
    ...changes,
  };
}
