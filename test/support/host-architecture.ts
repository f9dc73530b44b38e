import { execFileSync } from 'node:child_process';

export function hostArchitecture(): string {
  return execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
}
