/**
 * Adds a switch to the bar of a log. It is not on the page without the script, which does its work.
 * @param turn is called at each click; it returns whether the switch is on then
 */
export function addSwitch(name: string, isOn: boolean, turn: () => boolean): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = name;
  button.setAttribute('aria-pressed', String(isOn));
  button.addEventListener('click', () => button.setAttribute('aria-pressed', String(turn())));
  document.getElementById('log-bar')?.append(button);
  return button;
}
