import type { Pin } from '@proctor/contracts';

/**
 * The options of a run's pins. With extra sources no release is added: pins resolve from what is there already.
 * @param names suite → the name by which apt pins it, where that is another
 */
export function pinOptions(
  pins: Pin[],
  hasExtraSources: boolean,
  names: ReadonlyMap<string, string> = new Map(),
): string[] {
  const suites = [...new Set(pins.map(([, suite]) => suite))];
  return suites.flatMap((suite) => {
    const specs = pins.filter(([, other]) => other === suite).map(([spec]) => spec);
    const release = hasExtraSources ? [] : [`--add-apt-release=${suite}`];
    return [...release, `--pin-packages=${names.get(suite) ?? suite}=${specs.join(',')}`];
  });
}
