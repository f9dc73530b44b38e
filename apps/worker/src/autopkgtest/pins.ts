import type { Pin } from '@proctor/contracts';

/**
 * The name under which apt knows a suite when it pins: a pin says `release a=NAME`, where NAME is what the archive's
 * Release file calls itself.
 */
export function archiveSuiteName(suite: string): string {
  return suite;
}

/** The options of a run's pins. With extra sources no release is added: pins resolve from what is there already. */
export function pinOptions(pins: Pin[], hasExtraSources: boolean): string[] {
  const suites = [...new Set(pins.map(([, suite]) => suite))];
  return suites.flatMap((suite) => {
    const name = archiveSuiteName(suite);
    const specs = pins.filter(([, other]) => other === suite).map(([spec]) => spec);
    const release = hasExtraSources ? [] : [`--add-apt-release=${name}`];
    return [...release, `--pin-packages=${name}=${specs.join(',')}`];
  });
}
