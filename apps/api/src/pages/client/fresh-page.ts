import { Idiomorph } from 'idiomorph';
import { writeAges } from './ages';

/** Asks for a page. @returns null when it is refused */
export async function freshPage(url: string): Promise<Document | null> {
  const response = await fetch(url, { headers: { Accept: 'text/html' } });
  return response.ok ? new DOMParser().parseFromString(await response.text(), 'text/html') : null;
}

/**
 * A section takes over what has changed. Focus, opened parts and what was filled in stay: with its id, so that a row that
 * is new does not take over the box of another.
 */
export function updateSection(section: HTMLElement, other: HTMLElement): void {
  // Ages are compared as they are shown.
  writeAges(other);
  keepInput(section, other);
  const beforeAttributeUpdated = (name: string, node: Element): boolean =>
    !(name === 'open' && node instanceof HTMLDetailsElement);
  void Idiomorph.morph(section, other, { ignoreActiveValue: true, callbacks: { beforeAttributeUpdated } });
}

/** What the reader has chosen or written since the page was made. */
function keepInput(section: HTMLElement, other: HTMLElement): void {
  for (const input of section.querySelectorAll<HTMLInputElement>('input[name]:not([type=hidden])')) {
    const fresh = other.querySelector<HTMLInputElement>(`input[name="${CSS.escape(input.name)}"]`);
    if (!fresh) continue;
    fresh.toggleAttribute('checked', input.checked);
    if (input.type !== 'checkbox' && input.type !== 'radio') fresh.setAttribute('value', input.value);
  }
}
