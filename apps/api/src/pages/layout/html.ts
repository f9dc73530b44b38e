import { nameHidden } from '../../http/hidden-characters';

/** Text that is already HTML: all values in it were escaped. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** A value in a template of HTML. */
export type MarkupPart = Html | Html[] | string | number | null | undefined;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template tag for HTML. Values are escaped unless they are `Html`; null is empty. */
export function markup(texts: TemplateStringsArray, ...parts: MarkupPart[]): Html {
  return new Html(texts.reduce((whole, text, index) => whole + htmlOf(parts[index - 1] ?? null) + text));
}

function htmlOf(part: MarkupPart): string {
  if (part === null || part === undefined) return '';
  if (Array.isArray(part)) return part.join('');
  if (part instanceof Html) return part.text;
  return escapeHtml(part);
}

/** Escapes a value for HTML, for text and attributes. Invisible characters are replaced by their names. */
export function escapeHtml(value: unknown): string {
  return nameHidden(String(value)).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
