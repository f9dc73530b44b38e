/** A start tag in a page, feed or picture: `<name attributes>`. */
interface Tag {
  name: string;
  /** Undefined: without a value. */
  attributes: Map<string, string | undefined>;
  /** The text of the tag. */
  text: string;
}

const TAG = /<([A-Za-z][^\s>/]*)([^>]*)>/g;
const ATTRIBUTE = /^\s+([a-zA-Z][\w:-]*)(?:="([^"<]*)")?/;
/** Elements that run, load or enclose something of others, or turn what addresses mean. */
const NEVER = /^(?:style|iframe|frame|object|embed|base|applet|marquee|foreignobject|math|portal)$/i;
const BUNDLED = /^\/assets\/client\.[0-9a-f]{12}\.js$/;
/**
 * Characters that have an effect without being visible: they change the direction of text, control terminals, or are
 * forbidden in XML.
 */
// eslint-disable-next-line no-control-regex -- the rule forbids what is looked for here: control characters
const HIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
const ADDRESSES = ['href', 'src', 'action', 'formaction', 'poster', 'data', 'cite', 'xlink:href'];

/** @returns a line for each forbidden element of a page, feed or picture of the server, with its place */
export function markupFaults(markup: string, origin: string): string[] {
  const faults: string[] = [];
  const hidden = HIDDEN.exec(markup);
  if (hidden) faults.push(`hidden character at ${around(markup, hidden.index)}`);
  for (const tag of tagsOf(markup)) {
    if (tag === null || NEVER.test(tag.name) || tag.name === 'x-evil') {
      faults.push(`element ${tag?.text ?? 'that cannot be read'}`);
      continue;
    }
    faults.push(...faultsOf(tag, origin));
  }
  const broken = /<(?![A-Za-z/!?])/.exec(markup);
  if (broken) faults.push(`unescaped < at ${around(markup, broken.index)}`);
  return faults;
}

export function* tagsOf(markup: string): Generator<Tag | null> {
  for (const [text, name = '', rest = ''] of markup.replace(/<!--[^]*?-->/g, '').matchAll(TAG)) {
    const attributes = new Map<string, string | undefined>();
    let remainder = rest.replace(/\/$/, '');
    for (let match = ATTRIBUTE.exec(remainder); match; match = ATTRIBUTE.exec(remainder)) {
      attributes.set(match[1]!.toLowerCase(), match[2] && unescaped(match[2]));
      remainder = remainder.slice(match[0].length);
    }
    yield remainder.trim() === '' ? { name: name.toLowerCase(), attributes, text } : null;
    if (remainder.trim() !== '') yield { name: 'x-evil', attributes, text };
  }
}

function faultsOf({ name, attributes, text }: Tag, origin: string): string[] {
  const faults: string[] = [];
  for (const attribute of attributes.keys())
    if (/^on|^style$|^x-|^srcdoc$/.test(attribute)) faults.push(`attribute ${attribute} of ${text}`);
  if (name === 'script' && !BUNDLED.test(attributes.get('src') ?? '')) faults.push(`script ${text}`);
  for (const attribute of ADDRESSES) {
    const address = attributes.get(attribute);
    if (address === undefined) continue;
    const url = URL.canParse(address, origin) ? new URL(address, origin) : null;
    const isOwn = url?.origin === origin;
    const isLink = name === 'a' && attribute === 'href' && /^https?:$/.test(url?.protocol ?? '');
    const rel = attributes.get('rel') ?? '';
    const isHeldOff = ['nofollow', 'noopener'].every((each) => rel.split(' ').includes(each));
    if (!isOwn && !(isLink && isHeldOff)) faults.push(`address ${text}`);
  }
  return faults;
}

/** Decodes the entities in an attribute or in the text of a page. */
export function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function around(text: string, at: number): string {
  return JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
}
