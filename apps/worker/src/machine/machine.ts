import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { WorkerConfiguration } from '@proctor/config';
import { Sandboxes } from '../sandbox/sandboxes';
import { Unusable } from '../sandbox/unusable';
import { Trial } from './trial';
import { Architectures, DETECTED } from './architectures';
import { currentBoot, Proofs } from './proofs';
import { runnerPath } from './runner-version';

/** Injection token of the Machine. */
export const MACHINE = Symbol('machine');

/** The properties of this machine for running tests. */
export interface Machine {
  bootId: string;
  sandboxes: Sandboxes;
  proofs: Proofs;
  trial: Trial;
  executable: Architectures;
  /** The served architectures: as configured, with `detected` resolved. */
  architectures: string[];
}

/** The part of a worker's configuration that is about the machine. */
type MachineConfiguration = Pick<WorkerConfiguration, 'workPath' | 'architectures'> &
  Partial<
    Pick<WorkerConfiguration, 'variants' | 'visiblePaths' | 'slots' | 'networksReady' | 'unreachableNetworks'>
  >;

/**
 * Detects the properties of this machine. `runs`: the folder of running sandboxes; a second process on the machine
 * needs another one. `hidden`: paths that no sandbox may see, in addition to other runs and results.
 */
export async function detectMachine(
  configuration: MachineConfiguration,
  runs = 'runs',
  hidden: string[] = [],
): Promise<Machine> {
  const {
    workPath,
    architectures,
    variants = {},
    visiblePaths = [],
    slots = 0,
    networksReady = 0,
    unreachableNetworks = [],
  } = configuration;
  const bootId = await currentBoot();
  const programs = await Promise.all(Object.values(variants).map(([program = '']) => runnerPath(program)));
  const sight = {
    hidden: [join(workPath, 'results'), ...hidden],
    visible: [...visiblePaths, ...programs.filter((path) => path !== null)],
  };
  const networks = { ready: Math.min(slots, networksReady), unreachable: unreachableNetworks };
  const sandboxes = new Sandboxes(workPath, runs, sight, networks);
  const proofs = new Proofs(join(workPath, 'proofs.json'), bootId);
  const executable = new Architectures(sandboxes, proofs);
  const machine = { bootId, sandboxes, proofs, executable, trial: new Trial(sandboxes) };
  return { ...machine, architectures: await servedArchitectures(architectures, sandboxes, executable) };
}

/** A machine without sandboxes serves only the configured architectures. */
async function servedArchitectures(
  names: string[],
  sandboxes: Sandboxes,
  executable: Architectures,
): Promise<string[]> {
  if (!names.includes(DETECTED)) return names;
  try {
    await sandboxes.detect();
    return await executable.resolve(names);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    new Logger('Machine').warn(`architectures cannot be detected: ${error.message}`);
    return executable.own(names);
  }
}
