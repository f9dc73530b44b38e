import { shapeBelow } from './in-schema';
import { nearest } from './nearest';
import { keysOf } from './rules';

type Shape = new () => object;

/** Every key below a shape by its path, as `api.port`. */
function pathsOf(shape: Shape, prefix = ''): string[] {
  return [...keysOf(shape)].flatMap((key) => {
    const below = shapeBelow(shape, key);
    return [`${prefix}${key}`, ...(below ? pathsOf(below, `${prefix}${key}.`) : [])];
  });
}

/**
 * The path of the key that an unknown key probably stands for: the neighbour with a similar spelling, else a key
 * with this spelling in another section.
 * @param path of the unknown key
 * @returns the bare name of a neighbour; null when no key is similar
 */
export function meantKey(root: Shape, owner: Shape, path: readonly (string | number)[]): string | null {
  const key = String(path.at(-1));
  const neighbour = nearest(key, keysOf(owner));
  if (neighbour !== null) return neighbour;
  const all = pathsOf(root);
  const elsewhere = all.filter((each) => each.split('.').at(-1)?.toLowerCase() === key.toLowerCase());
  return elsewhere.length === 1 ? elsewhere[0]! : null;
}
