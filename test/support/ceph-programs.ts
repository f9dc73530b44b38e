import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@libs/embedded/src/command';
import { unpackWithDependencies } from '@libs/embedded/src/unpacked-packages';

/** The parts of a Ceph cluster that an S3 server needs: who knows where things are, where they are, and the gateway. */
const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw'];

/** Time limit for each step of the setup of a cluster. */
const COMMAND_TIMEOUT_S = 60;

/** Ceph's programs, unpacked to a folder: nothing of them is set up on this machine. */
export class CephPrograms {
  private constructor(
    private readonly root: string,
    /** e.g. `usr/lib/x86_64-linux-gnu` */
    private readonly libraries: string,
  ) {}

  /** Fetches them (up to 69 MB) unless that was done before. @throws with what to type when they cannot be had */
  static async in(root: string): Promise<CephPrograms> {
    if (!existsSync(root)) {
      await unpackWithDependencies(PACKAGES, root).catch((error: unknown) => {
        const advice = `apt-get update && apt-get install --download-only ${PACKAGES.join(' ')}`;
        throw new Error(`an S3 server could not be fetched from Debian; see what this says: ${advice}`, {
          cause: error,
        });
      });
    }
    const triplet = (await readdir(join(root, 'usr/lib'))).find((name) => name.includes('-linux-gnu'));
    if (triplet === undefined) throw new Error(`${root} holds no libraries`);
    return new CephPrograms(root, join('usr/lib', triplet));
  }

  /** The environment with which the daemons find their plug-ins. */
  get plugins(): Record<string, string> {
    const folder = join(this.root, this.libraries);
    return {
      'plugin dir': join(folder, 'ceph'),
      'erasure code dir': join(folder, 'ceph/erasure-code'),
      'osd class dir': join(folder, 'rados-classes'),
    };
  }

  /** The words that run a daemon: it ends with us, whatever becomes of us. */
  daemon(name: string, args: string[]): { program: string; args: string[] } {
    const variables = Object.entries(this.variables).map(([key, value]) => `${key}=${value}`);
    return {
      program: 'setpriv',
      args: ['--pdeathsig', 'KILL', 'env', ...variables, this.pathOf(name), ...args],
    };
  }

  run(name: string, args: string[]): Promise<string> {
    return this.inTime([this.pathOf(name), ...args]);
  }

  /** Its administration is written in Python, whose modules are unpacked too. */
  administer(args: string[]): Promise<string> {
    return this.inTime(['/usr/bin/python3', this.pathOf('ceph'), ...args]);
  }

  private inTime(words: string[]): Promise<string> {
    const env = { PATH: process.env['PATH'], LC_ALL: 'C', ...this.variables };
    return runCommand('timeout', [`${COMMAND_TIMEOUT_S}s`, ...words], { env });
  }

  private pathOf(name: string): string {
    return join(this.root, 'usr/bin', name);
  }

  private get variables(): Record<string, string> {
    const folders = [this.libraries, join(this.libraries, 'ceph'), this.libraries.replace('usr/', '')];
    return {
      LD_LIBRARY_PATH: folders.map((folder) => join(this.root, folder)).join(':'),
      PYTHONPATH: join(this.root, 'usr/lib/python3/dist-packages'),
    };
  }
}
