import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import type { WorkerConfiguration } from '@proctor/config';
import { OWN_BACKENDS, type KnownBackend } from '@proctor/contracts';
import type { Machine } from '../machine/machine';
import type { Backend } from './backend';
import { CommandBackend, commandKind, usesImage } from './command-backend';
import { HostApt } from './host-apt/host-apt';
import { ImageBackend, imageArguments } from './image-backend';
import { MmdebstrapBuilder } from './images/image-builder';
import { ImageFiles } from './images/image-files';
import { Images, type ImageSettings, type ImageTrial } from './images/images';
import { LXC } from './kinds/lxc';
import { PODMAN } from './kinds/podman';
import { QEMU } from './kinds/qemu';
import { SCHROOT } from './kinds/schroot';
import type { TestbedKind } from './kinds/testbed-kind';
import { UNSHARE } from './kinds/unshare';
import { NullBackend } from './null-backend';
import { UnknownBackend } from './unknown-backend';
import type { Architectures } from '../machine/architectures';
import type { Trial } from '../machine/trial';

const MINUTE_MS = 60_000;

const KIND_OF: Record<Exclude<KnownBackend, 'null'>, TestbedKind> = {
  unshare: UNSHARE,
  schroot: SCHROOT,
  lxc: LXC,
  podman: PODMAN,
  qemu: QEMU,
};

/** The kinds of testbed that use our own images. */
export const KINDS = Object.values(KIND_OF);

/** The configuration of the backends; `imageAgeMaxMs` may change while they live. */
export interface BackendsConfiguration {
  readonly worker: Pick<
    WorkerConfiguration,
    | 'backends'
    | 'backendCommands'
    | 'imageAgeMaxMs'
    | 'machineMayBeDestroyed'
    | 'suitesAtStart'
    | 'suiteSources'
    | 'workPath'
  >;
}

const SURROUNDINGS = { clock: systemClock, wallClock: Date.now, random: Math.random };

/**
 * Builds the backends with these names, in their order; by default those of the configuration. `changed` is called when
 * one of them offers more than before.
 */
export function buildBackends(
  configuration: BackendsConfiguration,
  machine: Machine,
  onChange: () => void,
  names = configuration.worker.backends,
): Backend[] {
  const { worker } = configuration;
  return names.map((name) => {
    const kind = KINDS.find((kind) => kind.name === name);
    if (kind) return buildImageBackend(kind, configuration, machine, onChange);
    if (name === 'null') {
      return new NullBackend(worker.suitesAtStart, worker.machineMayBeDestroyed, machine.sandboxes);
    }
    const { backendCommands } = worker;
    const template = Object.hasOwn(backendCommands, name) ? backendCommands[name] : undefined;
    if (!template) return new UnknownBackend(name, OWN_BACKENDS);
    if (usesImage(template))
      return buildImageBackend(commandKind(name, template), configuration, machine, onChange);
    return new CommandBackend(name, template, worker.suitesAtStart, machine);
  });
}

function buildImageBackend(
  kind: TestbedKind,
  configuration: BackendsConfiguration,
  machine: Machine,
  onChange: () => void,
): Backend {
  const { workPath, suiteSources, suitesAtStart } = configuration.worker;
  const { sandboxes, executable, architectures } = machine;
  const files = new ImageFiles(join(workPath, 'images', kind.name), kind.image.extension);
  const hostApt = new HostApt(suiteSources, join(workPath, 'keys'));
  const builder = new MmdebstrapBuilder(kind.name, kind.image, sandboxes, hostApt, executable);
  const settings: ImageSettings = {
    get ageMaxMs() {
      return configuration.worker.imageAgeMaxMs;
    },
    checkMs: 10 * MINUTE_MS,
    retryFirstMs: MINUTE_MS,
    retryMaxMs: 30 * MINUTE_MS,
    bootId: machine.bootId,
  };
  const trial = new KindTrial(kind, executable, machine.trial);
  const log = new Logger(`Images of ${kind.name}`);
  const images = new Images({ files, builder, trial, settings, ...SURROUNDINGS, log, onChange });
  return new ImageBackend({
    kind,
    suitesAtStart,
    architectures,
    sandboxes,
    executable,
    images,
    files,
    hostApt,
  });
}

/** Proves images of one kind, in the best working mode. */
class KindTrial implements ImageTrial {
  constructor(
    private readonly kind: TestbedKind,
    private readonly machine: Architectures,
    private readonly trial: Trial,
  ) {}

  async prove(suite: string, arch: string, image: string, signal: AbortSignal): Promise<string> {
    const reasons: string[] = [];
    for (const mode of this.kind.modes) {
      try {
        await this.trial.run({
          suite,
          arch,
          backend: this.kind.name,
          timeoutMs: this.kind.trialTimeoutMs,
          argumentsFor: (folder) =>
            imageArguments(this.kind, this.machine, { image, suite, arch, mode, folder }),
          signal,
        });
        return mode;
      } catch (error) {
        signal.throwIfAborted();
        reasons.push(`${mode && `${mode}: `}${(error as Error).message}`);
      }
    }
    throw new Error(reasons.join('; '));
  }
}
