import { hostArchitecture, type WorkerConfiguration } from '@proctor/config';
import { candidates } from '../machine/emulators';
import type { Machine } from '../machine/machine';
import { runnerVersion } from '../machine/runner-version';
import { whyUnusable } from '../sandbox/unusable';
import type { Backend } from '../testbed/backend';
import { OWN_BACKENDS } from '@proctor/contracts';
import { buildBackends, type BackendsConfiguration } from '../testbed/build-backends';
import type { ImageRecord } from '../testbed/images/image-files';

export interface BackendFinding {
  name: string;
  isConfigured: boolean;
  isolation: string;
  /** The problem and its remedy; null if the backend can be used. */
  problem: string | null;
  images: ImageRecord[];
}

export interface ArchitectureFinding {
  name: string;
  isServed: boolean;
  problem: string | null;
}

export interface VariantFinding {
  name: string;
  program: string;
  version: string | null;
  isExecutable: boolean;
}

/** The result of the check of this machine. */
export interface Findings {
  backends: BackendFinding[];
  architectures: ArchitectureFinding[];
  variants: VariantFinding[];
}

/** Tries everything that a worker here could be configured to do; nothing is built or kept. */
export async function checkEverything(
  configuration: BackendsConfiguration & { worker: Pick<WorkerConfiguration, 'variants'> },
  machine: Machine,
): Promise<Findings> {
  const { worker } = configuration;
  const names = new Set([...worker.backends, ...OWN_BACKENDS, ...Object.keys(worker.backendCommands)]);
  const backends: BackendFinding[] = [];
  for (const backend of buildBackends(configuration, machine, () => undefined, [...names])) {
    backends.push(await checkBackend(backend, worker.backends.includes(backend.name)));
  }
  const sandboxes = await whyUnusable(machine.sandboxes.detect());
  return {
    backends,
    architectures: await checkArchitectures(machine, sandboxes),
    variants: sandboxes === null ? await checkVariants(worker.variants, machine) : [],
  };
}

async function checkBackend(backend: Backend, isConfigured: boolean): Promise<BackendFinding> {
  const { name, isolation } = backend;
  return { name, isolation, isConfigured, problem: await backend.detect(), images: await backend.records() };
}

async function checkArchitectures(
  machine: Machine,
  sandboxes: string | null,
): Promise<ArchitectureFinding[]> {
  const names = [...new Set([...machine.architectures, ...candidates(hostArchitecture())])];
  const problem = (arch: string) => (sandboxes === null ? machine.executable.findProblem(arch) : sandboxes);
  return Promise.all(
    names.map(async (name) => ({
      name,
      isServed: machine.architectures.includes(name),
      problem: await problem(name),
    })),
  );
}

function checkVariants(
  commands: Record<string, string[]>,
  { sandboxes }: Machine,
): Promise<VariantFinding[]> {
  return Promise.all(
    Object.entries(commands).map(async ([name, [program = '']]) => ({
      name,
      program,
      version: await runnerVersion(program),
      isExecutable: await sandboxes.isExecutable(program),
    })),
  );
}
