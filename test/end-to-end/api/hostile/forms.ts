import { hiddenIn } from '@test/support/browser';
import { tagsOf } from '@test/support/markup';
import type { Visit } from './visit';

/** Where a page sends what is filled in, with the fields that it has filled in itself. */
export interface SentForm {
  action: string;
  hidden: Record<string, string>;
}

/** The forms of a page that change something. */
export function formsOf({ body, path }: Visit): SentForm[] {
  return (body.match(/<form\b[^]*?<\/form>/g) ?? []).flatMap((form) => {
    const tags = [...tagsOf(form)];
    const own = tags[0]?.attributes;
    if (own?.get('method')?.toLowerCase() !== 'post') return [];
    const [page = ''] = path.split('?');
    const others = tags.flatMap((tag) => tag?.attributes.get('formaction') ?? []);
    return [own.get('action') ?? page, ...others].map((action) => ({ action, hidden: hiddenIn(form) }));
  });
}

/** Names that a page asks for something by: in its links, and in its forms that change nothing. */
export function namesAskedBy(
  { body, path }: Visit,
  routeOf: (path: string) => string | null,
): [string, string][] {
  const fields: [string, string][] = [];
  for (const tag of tagsOf(body)) {
    const href = tag?.attributes.get('href');
    const route =
      href === undefined || !/^[/?]/.test(href) ? null : routeOf(href.startsWith('?') ? path : href);
    if (route !== null)
      for (const name of new URLSearchParams(href!.split('?')[1]?.split('#')[0] ?? '').keys())
        fields.push([route, name]);
  }
  for (const form of body.match(/<form\b[^]*?<\/form>/g) ?? []) {
    const tags = [...tagsOf(form)];
    const route = routeOf(tags[0]?.attributes.get('action') ?? path);
    if (route === null || tags[0]?.attributes.has('method')) continue;
    for (const tag of tags)
      if (tag?.attributes.get('name')) fields.push([route, tag.attributes.get('name')!]);
  }
  return fields;
}

/** The path with one part at a time that is hostile, and with each query that is. */
export function hostilePaths(route: string, path: string, names: Iterable<string>, evil: string): string[] {
  const [plain = ''] = path.split('?');
  const parts = plain.split('/');
  const encoded = encodeURIComponent(evil);
  const places = route.split('/').flatMap((part, place) => (/^[:*]/.test(part) ? [place] : []));
  return [
    ...places.map((place) => parts.map((part, each) => (each === place ? encoded : part)).join('/')),
    ...[...names].map((name) => `${plain}?${new URLSearchParams({ [name]: evil }).toString()}`),
    `${plain}?next=//evil.example/&next=//evil.example/`,
    `${plain}?next=%2F%2Fevil.example%2F`,
    `${plain}?next=%2F%5Cevil.example`,
  ];
}
