import type { PackageLinkSection } from '@proctor/config';

/** What is put into the addresses; null where it is not known, or not the same for all that the page shows. */
export interface LinkValues {
  package: string;
  suite: string | null;
  arch: string | null;
  version: string | null;
}

/** The links of which everything is known that they name. */
export function packageLinks(links: PackageLinkSection[], values: LinkValues): PackageLinkSection[] {
  const known = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [[`{${name}}`, encodeURIComponent(value.toWellFormed())] as const],
  );
  return links
    .map(({ name, url }) => ({
      name,
      url: url.replace(/\{\w+\}/g, (word) => known.find(([each]) => each === word)?.[1] ?? word),
    }))
    .filter(({ url }) => !url.includes('{'));
}
