import type { TestbedArguments } from '../autopkgtest/command';
import type { SandboxUse } from '../sandbox/sandbox';

/** The sandbox that a test runner's command needs for a testbed; `tmpfsBytes` bounds the files that it writes. */
export function sandboxUse(
  command: string[],
  { cgroup, interpreters }: TestbedArguments,
  tmpfsBytes: number,
): SandboxUse {
  return {
    command,
    network: 'private',
    tmpfsBytes,
    ...(cgroup && { cgroup }),
    ...(interpreters && { interpreters }),
  };
}
