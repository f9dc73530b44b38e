import type { PackageLinkSection } from '@proctor/config';

/** Values for the addresses; null when a value is unknown or differs within the page. The version `n/a` is unknown too. */
interface LinkValues {
  package: string;
  suite: string | null;
  arch: string | null;
  version: string | null;
}

const PLACEHOLDER = /\{\w+\}/g;

/** The configured links whose values are all known; of those with the same name, the first. */
export function packageLinks(
  links: PackageLinkSection[],
  { package: name, suite, arch, version }: LinkValues,
): PackageLinkSection[] {
  const knownVersion = version === 'n/a' ? null : version;
  const values = new Map<string, string | null>(
    Object.entries({ package: name, suite, arch, version: knownVersion }),
  );
  const valueOf = (word: string): string | null => values.get(word.slice(1, -1)) ?? null;
  return links
    .filter(({ url }) => (url.match(PLACEHOLDER) ?? []).every((word) => valueOf(word) !== null))
    .filter(({ name }, at, all) => all.findIndex((link) => link.name === name) === at)
    .map((link) => ({
      name: link.name,
      url: link.url.replace(PLACEHOLDER, (word) => encodeURIComponent(valueOf(word)!.toWellFormed())),
    }));
}
