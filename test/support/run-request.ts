import type { RunRequest } from '@proctor/contracts';

/** The stored form of a request that names only the package hello. */
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
