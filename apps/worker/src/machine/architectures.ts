import { hostArchitecture } from '@proctor/config';
import type { Sandboxes } from '../sandbox/sandboxes';
import { Unusable, whyUnusable } from '../sandbox/unusable';
import { candidates, EMULATOR_PLACES, interpretersFor, isCompatible } from './emulators';
import type { Proofs } from './proofs';

/** In a list of architectures: the machine's own and all others that it can execute. */
export const DETECTED = 'detected';

const TRIAL_BYTES = 16 * 1024 * 1024;

/** The architectures whose programs this machine can execute in its sandboxes. */
export class Architectures {
  constructor(
    private readonly sandboxes: Sandboxes,
    private readonly proofs: Proofs,
    private readonly host = hostArchitecture(),
    private readonly places = EMULATOR_PLACES,
  ) {}

  /** Replaces `detected` by the architectures that work. */
  async resolve(names: string[]): Promise<string[]> {
    if (!names.includes(DETECTED)) return names;
    const works = await Promise.all(candidates(this.host).map((arch) => this.isExecutable(arch)));
    const detected = candidates(this.host).filter((_, index) => works[index]);
    return [...new Set(names.flatMap((name) => (name === DETECTED ? [this.host, ...detected] : [name])))];
  }

  /** Replaces `detected` by the machine's own architecture. */
  own(names: string[]): string[] {
    return [...new Set(names.map((name) => (name === DETECTED ? this.host : name)))];
  }

  isForeign(arch: string): boolean {
    return !isCompatible(this.host, arch);
  }

  /** Why programs of the architecture cannot be executed here; null: they can. */
  findProblem(arch: string): Promise<string | null> {
    return whyUnusable(this.interpretersOf(arch));
  }

  /**
   * The interpreters that a sandbox must register for the architecture; proved by executing a program.
   * @throws Unusable naming what is missing
   */
  async interpretersOf(arch: string): Promise<string[]> {
    if (arch === this.host) return [];
    const interpreters = isCompatible(this.host, arch) ? [] : await interpretersFor(arch, this.places);
    if (interpreters === null) {
      throw new Unusable(
        'nothing here executes such programs: apt-get install --no-install-recommends qemu-user-static arch-test (as root)',
      );
    }
    if (interpreters.length > 0 && !this.sandboxes.runsAsRoot) {
      throw new Unusable(
        'the kernel does not know an interpreter for such programs: systemctl restart systemd-binfmt (as root), or run the worker as root',
      );
    }
    await this.proofs.once(`architecture ${arch} ${interpreters.join('')}`, () =>
      this.prove(arch, interpreters),
    );
    return interpreters;
  }

  private async isExecutable(arch: string): Promise<boolean> {
    return (await this.findProblem(arch)) === null;
  }

  private async prove(arch: string, interpreters: string[]): Promise<string> {
    const { code, errors } = await this.sandboxes.tryCommand(`architecture-${arch}`, {
      command: ['arch-test', arch],
      interpreters,
      network: 'host',
      tmpfsBytes: TRIAL_BYTES,
    });
    if (code === 0) return 'executed';
    throw new Unusable(
      code === 127
        ? 'arch-test missing: apt-get install --no-install-recommends arch-test (as root)'
        : `no sandbox executes such programs: ${errors || `arch-test ended with exit code ${code}`}`,
    );
  }
}
