import type { PackageLinkSection } from '@proctor/config';

/** What is put into the addresses; null where it is not known, or not the same for all that the page shows. */
export interface LinkValues {
  package: string;
  suite: string | null;
  arch: string | null;
  version: string | null;
}

const PLACEHOLDER = /\{\w+\}/g;

/** Those links for which all names are known. */
export function packageLinks(
  links: PackageLinkSection[],
  { package: name, suite, arch, version }: LinkValues,
): PackageLinkSection[] {
  const values = new Map<string, string | null>(Object.entries({ package: name, suite, arch, version }));
  const valueOf = (word: string): string | null => values.get(word.slice(1, -1)) ?? null;
  return links
    .filter(({ url }) => (url.match(PLACEHOLDER) ?? []).every((word) => valueOf(word) !== null))
    .map((link) => ({
      name: link.name,
      url: link.url.replace(PLACEHOLDER, (word) => encodeURIComponent(valueOf(word)!.toWellFormed())),
    }));
}
