import { readFileSync } from 'node:fs';
import { arch, hostname } from 'node:os';

/** Debian's names of the processors that Node runs on. */
const DEBIAN_ARCHITECTURES: Record<string, string> = {
  arm: 'armhf',
  arm64: 'arm64',
  ia32: 'i386',
  loong64: 'loong64',
  ppc64: 'ppc64el',
  riscv64: 'riscv64',
  s390x: 's390x',
  x64: 'amd64',
};

/** The machine's release codename, from os-release(5); null when that has none. */
export function hostRelease(osRelease = readFileSync('/etc/os-release', 'utf8')): string | null {
  return /^VERSION_CODENAME="?([^"\n]+)"?$/m.exec(osRelease)?.[1] ?? null;
}

/** The architecture that `dpkg --print-architecture` prints. */
export function hostArchitecture(): string {
  return DEBIAN_ARCHITECTURES[arch()] ?? arch();
}

/** A default name for the machine's worker: its host name, reduced to the characters of a worker's name. */
export function hostWorkerName(): string {
  return (
    hostname()
      .split('.')[0]
      ?.replace(/[^A-Za-z0-9_-]/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 63) || 'worker'
  );
}
