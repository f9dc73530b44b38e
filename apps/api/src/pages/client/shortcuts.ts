import { install, uninstall } from '@github/hotkey';

const STORED = 'shortcuts';

/** Whether a key that was pressed means a shortcut: nothing is typed into a field, and the reader has not switched them off. */
export function isShortcut({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isTyping = target instanceof HTMLElement && target.matches('input, select, textarea');
  return !isTyping && !ctrlKey && !metaKey && !altKey && areOn();
}

/** Makes `data-hotkey` work, and shows the help by `?` or its button, where shortcuts are switched off and on again. */
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

/** A browser that keeps nothing has them on, until the page is left. */
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
    // It may keep nothing.
  }
}
