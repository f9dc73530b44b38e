/** One apt source of the machine, whatever format it was written in. */
export interface AptEntry {
  types: string[];
  uris: string[];
  suites: string[];
  components: string[];
  /** Option name in lower case → value, as in the one-line format. */
  options: Record<string, string>;
}

/** deb822 field → option of the one-line format. */
const OPTIONS: Record<string, string> = {
  'signed-by': 'signed-by',
  trusted: 'trusted',
  'check-valid-until': 'check-valid-until',
  'check-date': 'check-date',
  'allow-insecure': 'allow-insecure',
  'allow-weak': 'allow-weak',
};

const KEPT_OPTIONS = new Set(Object.values(OPTIONS));

/** sources.list(5), one-line format: `deb [option=value …] uri suite component…`. */
export function parseOneLine(text: string): AptEntry[] {
  return text.split('\n').flatMap((line) => {
    const match =
      /^\s*(deb|deb-src)\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+([^\s#]+)((?:\s+[^#\s]+)*)\s*(?:#.*)?$/.exec(line);
    if (!match) return [];
    const [, type = '', options = '', uri = '', suite = '', components = ''] = match;
    return [
      {
        types: [type],
        uris: [uri],
        suites: [suite],
        components: words(components),
        options: parseOptions(options),
      },
    ];
  });
}

/** sources.list(5), deb822 format: stanzas of fields; lines that begin with # are comments. */
export function parseDeb822(text: string): AptEntry[] {
  const stanzas = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .split(/\n\s*\n/);
  return stanzas.flatMap((stanza) => {
    const fields = parseFields(stanza);
    if (!fields.has('types') || /^(no|false|0)$/i.test(fields.get('enabled') ?? 'yes')) return [];
    const options = [...fields]
      .filter(([name]) => name in OPTIONS)
      .map(([name, value]) => [OPTIONS[name] as string, value] as const);
    return [
      {
        types: words(fields.get('types') ?? ''),
        uris: words(fields.get('uris') ?? ''),
        suites: words(fields.get('suites') ?? ''),
        components: words(fields.get('components') ?? ''),
        options: Object.fromEntries(options),
      },
    ];
  });
}

/** A field continues in lines that start with a blank; a single dot there is an empty line. */
function parseFields(stanza: string): Map<string, string> {
  const fields = new Map<string, string>();
  let last = '';
  for (const line of stanza.split('\n')) {
    if (/^\s/.test(line)) {
      const more = line.trim() === '.' ? '' : line.trim();
      fields.set(last, `${fields.get(last) ?? ''}\n${more}`);
    } else {
      const colon = line.indexOf(':');
      if (colon < 0) continue;
      last = line.slice(0, colon).trim().toLowerCase();
      fields.set(last, line.slice(colon + 1).trim());
    }
  }
  return fields;
}

function parseOptions(text: string): Record<string, string> {
  const pairs = words(text).map((option) => option.split('=') as [string, string]);
  return Object.fromEntries(
    pairs.map(([name, value]) => [name.toLowerCase(), value]).filter(([name = '']) => KEPT_OPTIONS.has(name)),
  ) as Record<string, string>;
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
