import { Idiomorph } from 'idiomorph';
import { writeAges } from './ages';

/** Fetches a page. @returns null when the server refuses it */
export async function freshPage(url: string): Promise<Document | null> {
  const response = await fetch(url, { headers: { Accept: 'text/html' } });
  return response.ok ? new DOMParser().parseFromString(await response.text(), 'text/html') : null;
}

/**
 * Updates a section from a new version of the page. Focus, opened parts and form fields stay as they are. Elements are
 * matched by id, so that a new row does not get the ticked box of another row.
 */
export function updateSection(section: HTMLElement, other: HTMLElement): void {
  // Write the ages before the comparison, so that they do not count as changes.
  writeAges(other);
  keepInput(section, other);
  const beforeAttributeUpdated = (name: string, node: Element): boolean =>
    !(name === 'open' && node instanceof HTMLDetailsElement);
  // A stream adds to this element itself.
  const beforeNodeMorphed = (node: Node, fresh: Node): boolean => !isSameStream(node, fresh);
  void Idiomorph.morph(section, other, {
    ignoreActiveValue: true,
    callbacks: { beforeAttributeUpdated, beforeNodeMorphed },
  });
}

function isSameStream(node: Node, fresh: Node): boolean {
  const [events, others] = [node, fresh].map((each) => (each as HTMLElement).dataset?.events);
  return events !== undefined && events === others;
}

/** Copies the form values that the reader has entered to the new version. */
function keepInput(section: HTMLElement, other: HTMLElement): void {
  for (const input of section.querySelectorAll<HTMLInputElement>('input[name]:not([type=hidden])')) {
    const fresh = other.querySelector<HTMLInputElement>(
      input.id === '' ? `input[name="${CSS.escape(input.name)}"]` : `#${CSS.escape(input.id)}`,
    );
    if (!fresh) continue;
    fresh.toggleAttribute('checked', input.checked);
    if (input.type !== 'checkbox' && input.type !== 'radio') fresh.setAttribute('value', input.value);
  }
}
