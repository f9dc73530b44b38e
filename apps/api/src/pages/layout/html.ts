import { nameHidden } from '../../http/hidden-characters';

/** Text that is HTML already: what made it has escaped all that came from elsewhere. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** What stands in a template of HTML. */
export type MarkupPart = Html | Html[] | string | number | null | undefined;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML of a template whose values are escaped, but for those that are HTML; null is nothing. */
export function markup(texts: TemplateStringsArray, ...parts: MarkupPart[]): Html {
  return new Html(texts.reduce((whole, text, index) => whole + written(parts[index - 1] ?? null) + text));
}

function written(part: MarkupPart): string {
  if (part === null || part === undefined) return '';
  if (Array.isArray(part)) return part.join('');
  if (part instanceof Html) return part.text;
  return escapeHtml(part);
}

/** A value as HTML, in an element or between quotes: characters that would work without being seen are named. */
export function escapeHtml(value: unknown): string {
  return nameHidden(String(value)).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
