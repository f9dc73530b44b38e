import type { badgeWords } from '../layout/sentence';
import { markup } from '../layout/html';

/** Dark enough for white letters: 5:1 and more. */
const COLOURS: Record<ReturnType<typeof badgeWords>['status'], string> = {
  pass: '#0b6350',
  neutral: '#4a5a6d',
  fail: '#98132f',
  tmpfail: '#8a4b00',
  never: '#56616d',
};

const LETTER_WIDTH = 6.6;
const LABEL = 'autopkgtest';

/** An SVG picture, 20 pixels high, that needs no style sheet. */
export function badge({ status, words }: ReturnType<typeof badgeWords>): string {
  const widthOf = (text: string): number => Math.round(text.length * LETTER_WIDTH + 12);
  const [leftWidth, rightWidth] = [widthOf(LABEL), widthOf(words)];
  const text = (x: number, content: string) =>
    markup`<text x="${x}" y="14" text-anchor="middle">${content}</text>`;
  const label = `${LABEL}: ${words}`;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" width="${leftWidth + rightWidth}" height="20" role="img" aria-label="${label}"><title>${label}</title><rect width="${leftWidth + rightWidth}" height="20" rx="3" fill="#2c3743"/><path fill="${COLOURS[status]}" d="M${leftWidth} 0h${rightWidth - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${rightWidth - 3}z"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(leftWidth / 2, LABEL)}${text(leftWidth + rightWidth / 2, words)}</g></svg>`
    .text;
}
