import { aWhile, type Fault, type FaultParts } from './fault';

/** `part`: whose folder it is. */
export function fullDisk(parts: FaultParts, part: string): Fault {
  const disk = parts.deployment.disk(part);
  const happen = async () => {
    await disk.fillBytes();
    await aWhile(parts, 5_000, 20_000);
    await disk.empty();
  };
  return { title: `disk of ${part} full`, of: part, happen };
}

export function noInodes(parts: FaultParts, part: string): Fault {
  const disk = parts.deployment.disk(part);
  const happen = async () => {
    await disk.fillInodes();
    await aWhile(parts, 5_000, 20_000);
    await disk.empty();
  };
  return { title: `disk of ${part} without inodes`, of: part, happen };
}
