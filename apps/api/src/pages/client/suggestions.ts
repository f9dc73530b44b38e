import Combobox from '@github/combobox-nav';

const PAUSE_MS = 120;

interface Suggestion {
  name: string;
  url: string;
}

/**
 * Shows suggestions for a field, from the address in `data-suggest`. Choosing one opens its page. With
 * `data-suggest-end`, the choice replaces the current word instead, followed by the value of that attribute.
 */
export function offerSuggestions(input: HTMLInputElement | HTMLTextAreaElement): void {
  const { suggest = '', suggestEnd: end } = input.dataset;
  const list = document.createElement('ul');
  list.className = 'suggestions';
  list.id = `${input.id}-suggestions`;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Suggestions');
  input.after(list);
  const combobox = new Combobox(input, list);
  const setOpen = (isOpen: boolean): void => {
    list.hidden = !isOpen;
    if (isOpen) combobox.start();
    else combobox.stop();
    // HTML has no combobox of several lines: such a field keeps its own role, without a state.
    if (input instanceof HTMLTextAreaElement)
      for (const name of ['role', 'aria-expanded']) input.removeAttribute(name);
  };
  setOpen(false);
  let timer: number | undefined;
  let lastWord = '';

  const field: HTMLElement = input;
  const typed = (): string => (end === undefined ? input.value.trim() : wordAt(input));
  const close = (): void => setOpen(false);
  const show = (suggestions: Suggestion[]): void => {
    list.replaceChildren(...suggestions.map((each, index) => option(list.id, each, index)));
    setOpen(suggestions.length > 0);
  };
  const ask = async (): Promise<void> => {
    const query = typed();
    if (query === lastWord) return;
    lastWord = query;
    if (query === '') return close();
    const response = await fetch(`${suggest}?query=${encodeURIComponent(query)}`);
    // After an error, the next key sends a new request.
    if (!response.ok) lastWord = '';
    else if (query === lastWord) show((await response.json()) as Suggestion[]);
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void ask().catch(close), PAUSE_MS);
  });
  input.addEventListener('focus', () => {
    if (list.childElementCount > 0 && typed() === lastWord && lastWord !== '') setOpen(true);
  });
  input.addEventListener('blur', close);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
  });
  // Otherwise the field loses the focus, and the list disappears before the click.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('combobox-commit', (event) => {
    const chosenOption = event.target as HTMLElement;
    if (end === undefined) {
      location.href = chosenOption.dataset.url!;
      return;
    }
    const caret = input.selectionEnd ?? input.value.length;
    input.setRangeText(`${chosenOption.textContent}${end}`, caret - wordAt(input).length, caret, 'end');
    lastWord = wordAt(input);
    close();
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

/** The word before the caret: the text after the last white space or comma. */
function wordAt(input: HTMLInputElement | HTMLTextAreaElement): string {
  const before = input.value.slice(0, input.selectionEnd ?? input.value.length);
  return before.split(/[\s,]/).at(-1)!;
}

function option(id: string, { name, url }: Suggestion, index: number): HTMLLIElement {
  const item = document.createElement('li');
  item.id = `${id}-${index}`;
  item.setAttribute('role', 'option');
  item.dataset.url = (document.body.dataset.base ?? '') + url;
  item.textContent = name;
  return item;
}
