import type { WorkerConfiguration } from '@proctor/config';
import type { TestbedArguments } from '../autopkgtest/command';
import type { SandboxUse } from '../sandbox/sandbox';

/** Limits for the files, the memory and the processes of one run. */
export interface RunLimits extends Pick<WorkerConfiguration, 'runTmpfsBytes' | 'runProcessesMax'> {
  runMemoryBytesMax?: number | undefined;
}

/** The sandbox that a test runner's command needs for a testbed. */
export function sandboxUse(
  command: string[],
  { asRoot, wholeMachine, interpreters }: TestbedArguments,
  { runTmpfsBytes, runMemoryBytesMax, runProcessesMax }: RunLimits,
): SandboxUse {
  return {
    command,
    network: 'private',
    tmpfsBytes: runTmpfsBytes,
    processesMax: runProcessesMax,
    ...(runMemoryBytesMax !== undefined && { memoryBytesMax: runMemoryBytesMax }),
    ...(asRoot && { asRoot }),
    ...(wholeMachine && { wholeMachine }),
    ...(interpreters && { interpreters }),
  };
}
