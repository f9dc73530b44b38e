import { install, uninstall } from '@github/hotkey';

const STORED = 'shortcuts';

/** Whether a key is a shortcut: not while the reader types into a field, and not when shortcuts are off. */
export function isShortcut({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isTyping = target instanceof HTMLElement && target.matches('input, select, textarea');
  return !isTyping && !ctrlKey && !metaKey && !altKey && areOn();
}

/** Starts the shortcuts of `data-hotkey`. `?` or the button opens the help, which can also switch shortcuts off and on. */
export function offerShortcuts(): void {
  const help = document.getElementById('shortcuts');
  const button = document.getElementById('show-shortcuts');
  const box = document.getElementById('shortcuts-on');
  if (!(help instanceof HTMLDialogElement) || !(box instanceof HTMLInputElement) || !button) return;
  const show = (): void => {
    box.checked = areOn();
    help.showModal();
  };
  button.hidden = false;
  button.addEventListener('click', show);
  addEventListener('keydown', (event) => {
    if (event.key !== '?' || help.open || !isShortcut(event)) return;
    event.preventDefault();
    show();
  });
  box.addEventListener('change', () => {
    keep(box.checked);
    apply();
  });
  apply();
}

function apply(): void {
  document.documentElement.classList.toggle('no-shortcuts', !areOn());
  for (const element of document.querySelectorAll<HTMLElement>('[data-hotkey]')) {
    if (areOn()) install(element);
    else uninstall(element);
  }
}

/** Whether shortcuts are on. Without storage in the browser they are on for each new page. */
let isOnHere = true;

function areOn(): boolean {
  try {
    return localStorage.getItem(STORED) !== 'off' && isOnHere;
  } catch {
    return isOnHere;
  }
}

function keep(isOn: boolean): void {
  isOnHere = isOn;
  try {
    if (isOn) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, 'off');
  } catch {
    // The browser may have no storage.
  }
}
