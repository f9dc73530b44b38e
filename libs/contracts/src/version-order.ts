/** Compares versions as Debian orders them. @returns a negative number: the first is older; 0: equal; positive: newer */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  return a.epoch - b.epoch || compareParts(a.upstream, b.upstream) || compareParts(a.revision, b.revision);
}

function partsOf(version: string): { epoch: number; upstream: string; revision: string } {
  const colon = version.indexOf(':');
  const rest = version.slice(colon + 1);
  const hyphen = rest.lastIndexOf('-');
  return {
    epoch: colon > 0 ? Number(version.slice(0, colon)) || 0 : 0,
    upstream: hyphen < 0 ? rest : rest.slice(0, hyphen),
    revision: hyphen < 0 ? '' : rest.slice(hyphen + 1),
  };
}

/** Compares in turn texts without digits and numbers, from the start. */
function compareParts(one: string, other: string): number {
  const [a, b] = [pieces(one), pieces(other)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [x = '', y = ''] = [a[at], b[at]];
    const order = at % 2 === 0 ? compareTexts(x, y) : compareNumbers(x, y);
    if (order !== 0) return order;
  }
  return 0;
}

/** Texts and numbers in turn, a text first. */
function pieces(part: string): string[] {
  const list = part.split(/(\d+)/);
  return list.at(-1) === '' ? list.slice(0, -1) : list;
}

function compareTexts(one: string, other: string): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const order = weightOf(one, at) - weightOf(other, at);
    if (order !== 0) return order;
  }
  return 0;
}

/** A tilde comes before the end, the end before letters, letters before all else. */
function weightOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (Number.isNaN(code)) return 0;
  if (text[at] === '~') return -1;
  return /[A-Za-z]/.test(text[at]!) ? code : code + 0x10000;
}

/** Numbers of any length. */
function compareNumbers(one: string, other: string): number {
  const [a, b] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')];
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
