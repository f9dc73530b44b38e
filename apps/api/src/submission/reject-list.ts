import { rejectedVersions, type RejectList } from '@proctor/config';

/** Whether a request is refused before its version is known: an entry with a version blocks later, on the worker. */
export function isRejected(list: RejectList, name: string, suite: string, arch: string): boolean {
  return rejectedVersions(list, name, suite, arch).includes('*');
}
