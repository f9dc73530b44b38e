/** What docs/configuration.md says about a key. */
export interface DocumentedKey {
  default: string;
  /** `at once` or `restart`. */
  change: string;
  meaning: string;
}

/** The rows of a file's table in docs/configuration.md, by key. */
export function documentedKeys(page: string, file: string): Map<string, DocumentedKey> {
  const section = page.split(/^## /m).find((text) => text.startsWith(`\`${file}\``)) ?? '';
  const rows = [
    ...section.matchAll(
      /^\| `([\w.]+)` *\|((?:[^|\\\n]|\\.)*)\|((?:[^|\\\n]|\\.)*)\|((?:[^|\\\n]|\\.)*)\|$/gm,
    ),
  ];
  return new Map(
    rows.map(([, key = '', ...cells]) => {
      const [standard = '', change = '', meaning = ''] = cells.map((cell) => cell.trim());
      return [key, { default: standard, change, meaning }];
    }),
  );
}
