import type { RunRecord } from '@proctor/database';
import { markup } from '../layout/html';
import type { Html } from '../layout/html';
import { secondsInWords } from '../layout/times';

const [BAR, HEIGHT] = [8, 60];
const BARS_MAX = 90;
/** One or two bars are no chart. */
const BARS_MIN = 3;

/**
 * How long runs took, as bars from the oldest to the newest; the table below it says the same in numbers.
 * @param runs newest first
 * @param labelId of the element that has the label
 */
export function durationChart(runs: RunRecord[], labelId: string): { label: string; svg: Html } | null {
  const timed = runs.filter(({ durationSeconds }) => durationSeconds !== null).slice(0, BARS_MAX);
  if (timed.length < BARS_MIN) return null;
  const longest = Math.max(1, ...timed.map(({ durationSeconds }) => durationSeconds!));
  const bars = timed.reverse().map(({ verdict, durationSeconds }, index) => {
    const height = Math.max(1, Math.round((durationSeconds! / longest) * HEIGHT));
    return markup`<rect class="${verdict}" x="${index * BAR}" y="${HEIGHT - height}" width="${BAR - 2}" height="${height}"/>`;
  });
  const width = timed.length * BAR;
  const label = `How long these ${timed.length} runs took, the newest on the right; the longest ${secondsInWords(longest)}`;
  const svg = markup`<svg class="strip" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-labelledby="${labelId}">${bars}</svg>`;
  return { label, svg };
}
