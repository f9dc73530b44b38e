import type { Page } from 'playwright-core';
import { accessibilityFaults, RULES_OF_COLOURS } from '@test/support/chromium';

export type Look = { colorScheme: 'light' | 'dark'; forcedColors: 'none' | 'active' };
export const LIGHT: Look = { colorScheme: 'light', forcedColors: 'none' };
export const DARK: Look = { colorScheme: 'dark', forcedColors: 'none' };
export const FORCED: Look = { colorScheme: 'dark', forcedColors: 'active' };

/** What is wrong with the page that is open, at two widths with these colours at each. */
export async function faultsInLooks(page: Page, looks: Record<number, Look[]>): Promise<string[]> {
  const lookFaults: string[] = [];
  for (const [width, colours] of Object.entries(looks)) {
    await page.setViewportSize({ width: Number(width), height: 800 });
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (over > 0) lookFaults.push(`${width} pixels wide: wider than the screen by ${over}`);
    for (const [at, each] of colours.entries()) {
      await page.emulateMedia(each);
      // Other colours change what these rules find, and no other.
      const faults = await accessibilityFaults(page, at === 0 ? undefined : RULES_OF_COLOURS);
      const look = `${width} pixels wide, ${each.colorScheme}, forced colours ${each.forcedColors}`;
      lookFaults.push(...faults.map((fault) => `${look}: ${fault}`));
    }
  }
  return lookFaults;
}
