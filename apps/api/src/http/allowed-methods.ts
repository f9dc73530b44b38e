import type { Express } from 'express';

/** What is used of Express's layers, which its type definitions leave out. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/**
 * The methods that some route takes at a path, in upper case; empty when no route knows the path.
 * @throws URIError when a part of the path cannot be decoded
 */
export function allowedMethods(express: Express, path: string): string[] {
  const layers = (express.router as unknown as { stack: Layer[] }).stack;
  const methods = new Set<string>();
  for (const layer of layers) {
    if (!layer.route || !layer.match(path)) continue;
    for (const method of Object.keys(layer.route.methods)) methods.add(method.toUpperCase());
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
