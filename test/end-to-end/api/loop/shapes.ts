/** A body that a stranger may send. */
export interface Shape {
  name: string;
  type: string;
  /** A body of about so many bytes. */
  of: (bytes: number) => Buffer;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data; boundary=b';

/** `part` again and again, up to about so many bytes. */
function filled(begin: string, part: (n: number) => string, end: string, bytes: number): string {
  const parts: string[] = [];
  for (let [n, length] = [0, begin.length]; length < bytes; n += 1) {
    const next = part(n);
    length += next.length;
    parts.push(next);
  }
  return begin + parts.join('') + end;
}

const json = (name: string, text: (bytes: number) => string): Shape => ({
  name,
  type: JSON_TYPE,
  of: (bytes) => Buffer.from(text(bytes)),
});

/** The database needs its time for what is accepted. */
const ITEMS_BYTES = 4_000_000;

/** So many items, which together fill the bytes: what is longer than that is in their triggers. */
export const items = (most: number, count = 500): string => {
  const bytes = Math.min(most, ITEMS_BYTES);
  const trigger = 'x'.repeat(Math.max(0, Math.min(60_000, Math.floor(bytes / count) - 60)));
  return JSON.stringify(
    Array.from({ length: Math.min(count, Math.floor(bytes / 60)) }, (_, n) => {
      return { package: `hello${n % 900}`, trigger: `${n}${trigger}`, priority: 1 + (n % 10) };
    }),
  );
};

const multipart = (fields: [name: string, value: string][], isFile = false): string => {
  const file = isFile ? '; filename="f"' : '';
  return `${fields
    .map(
      ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`,
    )
    .join('')}--b--\r\n`;
};

export const SHAPES: Shape[] = [
  json('items', items),
  json('items with quotes and other letters', (bytes) =>
    items(bytes / 2).replaceAll(/"trigger":"(\d+)/g, '"trigger":"$1\\\\ \\" é€'),
  ),
  json('items with an unknown name each', (bytes) =>
    filled('[{"package":"hello"}', (n) => `,{"package":"hello","x${n % 800}":1}`, ']', bytes),
  ),
  json('an item with very many pins', (bytes) =>
    filled('[{"package":"hello","pin-packages":[["a","b"]', () => ',["src:hello","sid"]', ']}]', bytes),
  ),
  json('an item with very many sources', (bytes) =>
    filled('[{"package":"hello","extra-apt-sources":["a"', (n) => `,"s${n}"`, ']}]', bytes),
  ),
  json('a part with very many architectures', (bytes) =>
    filled('[{"suite":"sid","tests":[],"arch":["a"', (n) => `,"a${n}"`, ']}]', bytes),
  ),
  json('very many parts', (bytes) =>
    filled(
      '[{"suite":"sid","tests":[],"arch":"amd64"}',
      () => ',{"suite":"sid","tests":[],"arch":"amd64"}',
      ']',
      Math.min(bytes, 800_000),
    ),
  ),
  json('distinct names', (bytes) => filled('{"a":1', (n) => `,"k${n}":1`, '}', bytes)),
  json('names in another order each time', (bytes) =>
    filled(
      '[{}',
      (n) => `,{"a${(n * 7) % 31}":1,"b${(n * 11) % 29}":2,"c${(n * 13) % 37}":3,"d${n % 41}":{}}`,
      ']',
      bytes,
    ),
  ),
  json('one name again and again', (bytes) => filled('{"tests":[]', () => ',"tests":[]', '}', bytes)),
  json('empty lists', (bytes) => filled('[[]', () => ',[]', ']', bytes)),
  json('nested deeply', (bytes) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`),
  json('nested deeply again and again', (bytes) =>
    filled('[1', () => `,${'['.repeat(60)}${']'.repeat(60)}`, ']', bytes),
  ),
  json('a long text', (bytes) => `["${'é'.repeat(bytes / 2)}"]`),
  json('a text of escapes', (bytes) => `[{"package":"${'\\u00e9'.repeat(bytes / 6)}"}]`),
  json('a text of quotes', (bytes) => `["${'\\"'.repeat(bytes / 2)}"]`),
  json('backslashes without an end', (bytes) => `["${'\\'.repeat(bytes)}`),
  json('a long number', (bytes) => `[${'9'.repeat(bytes)}]`),
  json('very many numbers', (bytes) => filled('[0', () => ',1.7976931348623157e-300', ']', bytes)),
  json('white space', (bytes) => `[${' '.repeat(bytes)}]`),
  json('very many colons', (bytes) => `{"${'a'.repeat(bytes / 3)}"${':'.repeat(bytes / 2)}`),
  {
    name: 'no UTF-8 at its end',
    type: JSON_TYPE,
    of: (bytes) => Buffer.concat([Buffer.alloc(bytes, '[1,'), Buffer.from([0xff])]),
  },
  {
    name: 'a form of escapes',
    type: FORM_TYPE,
    of: (bytes) => Buffer.from(`tests=${'%5B%20'.repeat(bytes / 6)}`),
  },
  {
    name: 'a form of items',
    type: FORM_TYPE,
    of: (bytes) => Buffer.from(`tests=${encodeURIComponent(items(bytes / 2))}`),
  },
  {
    name: 'a form of broken escapes',
    type: FORM_TYPE,
    of: (bytes) => Buffer.from(`tests=${'%ff'.repeat(bytes / 3)}`),
  },
  { name: 'a form of ampersands', type: FORM_TYPE, of: (bytes) => Buffer.alloc(bytes, '&') },
  {
    name: 'a form of very many fields',
    type: FORM_TYPE,
    of: (bytes) => Buffer.from(filled('a=1', (n) => `&f${n}=1`, '', bytes)),
  },
  {
    name: 'a form with a long name',
    type: FORM_TYPE,
    of: (bytes) => Buffer.from(`${'a[b]'.repeat(bytes / 4)}=1`),
  },
  {
    name: 'a form with a long word for priority',
    type: FORM_TYPE,
    of: (bytes) => Buffer.from(`tests=[]&priority=${'5'.repeat(bytes)}`),
  },
  {
    name: 'a multipart body of items',
    type: MULTIPART_TYPE,
    of: (bytes) => Buffer.from(multipart([['tests', items(bytes - 200)]], true)),
  },
  {
    name: 'a multipart field of items',
    type: MULTIPART_TYPE,
    of: (bytes) => Buffer.from(multipart([['tests', items(bytes - 200)]])),
  },
  {
    name: 'very many parts of a multipart body',
    type: MULTIPART_TYPE,
    of: (bytes) =>
      Buffer.from(multipart(Array.from({ length: Math.floor(bytes / 60) }, (_, n) => [`f${n}`, '']))),
  },
  {
    name: 'a multipart body of line ends',
    type: MULTIPART_TYPE,
    of: (bytes) => Buffer.from(multipart([['tests', '\r\n--'.repeat(bytes / 4)]])),
  },
  {
    name: 'a multipart part with a long header',
    type: MULTIPART_TYPE,
    of: (bytes) =>
      Buffer.from(
        `--b\r\nContent-Disposition: form-data; name="a${'[b]'.repeat(bytes / 3)}"\r\n\r\n1\r\n--b--\r\n`,
      ),
  },
  { name: 'nothing that anybody knows', type: 'text/plain', of: (bytes) => Buffer.alloc(bytes, 'x') },
];

const PAGE_NAMES = [
  'q',
  'search',
  'suite',
  'arch',
  'trigger',
  'package',
  'error',
  'from',
  'to',
  'a',
  'b',
  'run_ids',
];
const everyName = (value: string): string =>
  `?${PAGE_NAMES.map((name) => `${name}=${value.slice(0, 900)}`).join('&')}`;

/** What a reader may put behind the address of a page: 12 KiB at most, or its head is too long. */
export const PAGE_QUERIES: string[] = [
  everyName('a'.repeat(900)),
  everyName('(a*)*b'.repeat(150)),
  everyName('1,'.repeat(450)),
  everyName('%25_'.repeat(220)),
  `?q=${'a'.repeat(12_000)}`,
  `?${'suite=a&'.repeat(90)}`,
  `?from=${'9'.repeat(15)}&to=${'9'.repeat(15)}&page=${'9'.repeat(15)}&before=${'9'.repeat(15)}`,
];

const FORM_BYTES = 900_000;
const again = (text: string): string => text.repeat(Math.floor(FORM_BYTES / text.length));
const FORM_PLACE = 'suite=sid,trixie&arch-amd64=on&packages=';

/** Forms of almost the largest size; the others of the request multiply what is named once. */
export const PAGE_FORMS: string[] = [
  `${FORM_PLACE}${again('a+')}`,
  `${FORM_PLACE}${'hello+'.repeat(20_000)}&trigger=${'x'.repeat(60_000)}`,
  `${FORM_PLACE}hello&pins=${again('src:a,sid%0A')}`,
  `packages=hello&suite=${again('a,')}&arch=${again('b,').slice(0, 100_000)}`,
  `run_ids=${again('12345,')}&text=${'x'.repeat(10_000)}`,
  `text=${again('%3Cb%3E')}&reason=x&bugs=1`,
  `name=${again('a')}&password=a&patterns=b`,
  `packages=${again('hel*%0A')}`,
];
