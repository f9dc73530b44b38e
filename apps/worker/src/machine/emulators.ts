import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Debian architecture → qemu's name of its processor. */
const PROCESSORS: Record<string, string> = {
  amd64: 'x86_64',
  arm64: 'aarch64',
  armel: 'arm',
  armhf: 'arm',
  i386: 'i386',
  loong64: 'loongarch64',
  mips64el: 'mips64el',
  ppc64el: 'ppc64le',
  riscv64: 'riscv64',
  s390x: 's390x',
};

/** Architectures that a processor of another one may execute by itself, if its kernel lets it. */
const COMPATIBLE: Record<string, string[]> = { amd64: ['i386'], arm64: ['armhf', 'armel'] };

/** All architectures that a machine may be able to execute, its own first. */
export function candidates(host: string): string[] {
  return [...new Set([host, ...(COMPATIBLE[host] ?? []), ...Object.keys(PROCESSORS)])];
}

/** Whether the processor may execute it without an interpreter. */
export function isCompatible(host: string, arch: string): boolean {
  return arch === host || (COMPATIBLE[host] ?? []).includes(arch);
}

/** The folders in which interpreters are searched; tests use other folders. */
interface EmulatorPlaces {
  /** The kernel's binfmt_misc. */
  registered: string;
  /** binfmt.d(5). */
  configured: string[];
}

export const EMULATOR_PLACES: EmulatorPlaces = {
  registered: '/proc/sys/fs/binfmt_misc',
  configured: ['/etc/binfmt.d', '/usr/lib/binfmt.d'],
};

/**
 * The lines that a sandbox must register for programs of a foreign architecture; empty when the whole machine has an
 * interpreter already; null: no interpreter exists. Only interpreters that the kernel opens at registration (flag F)
 * are found inside a testbed.
 */
export async function interpretersFor(
  arch: string,
  places: EmulatorPlaces = EMULATOR_PLACES,
): Promise<string[] | null> {
  const processor = PROCESSORS[arch];
  if (processor === undefined) return null;
  const registered = await textOf(join(places.registered, `qemu-${processor}`));
  if (/^enabled$/m.test(registered) && /^flags: \w*F/m.test(registered)) return [];
  for (const folder of places.configured) {
    const text = await textOf(join(folder, `qemu-${processor}.conf`));
    const line = text.split('\n').find((line) => line.startsWith(':'));
    if (line?.split(':').at(-1)!.includes('F')) return [line.trim()];
  }
  return null;
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}
