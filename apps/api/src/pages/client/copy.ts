/** Adds a button that copies a block of text. Browsers allow it only over HTTPS and on the machine itself. */
export function offerCopy(block: HTMLElement): void {
  if (!('clipboard' in navigator)) return;
  const subject = block.dataset.copy ?? 'the text';
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = `Copy ${subject}`;
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(block.textContent.trim()).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'The browser does not allow it'),
    );
  });
  block.after(button);
}
