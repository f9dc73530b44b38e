import { isPackageName } from '@proctor/contracts';
import type { Part } from './order';

/** The packages of items that leave the backend open, each once. Nothing that could not be a name is among them. */
export function namesWithoutBackend(parts: Part[]): string[] {
  const names = new Set<string>();
  for (const item of parts.flatMap((part) => part.items)) {
    if (typeof item !== 'object' || item === null) continue;
    const { package: name, backend } = item as Record<string, unknown>;
    if (!backend && typeof name === 'string' && isPackageName(name)) names.add(name);
  }
  return [...names];
}
