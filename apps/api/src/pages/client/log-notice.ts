/** Shows a message above the log; an empty text removes it. */
export function statusLine(id: string): (text: string) => void {
  const element = document.getElementById(id);
  const line = element ?? document.createElement('p');
  if (!element) {
    [line.id, line.className, line.hidden] = [id, 'notice said', true];
    line.setAttribute('role', 'status');
    document.getElementById('log-viewer')?.before(line);
  }
  return (text) => {
    line.textContent = text;
    line.hidden = text === '';
  };
}
