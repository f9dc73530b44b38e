import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { PATIENCE_MS } from './until';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Debian's, without a window. */
export function launchChromium(): Promise<Browser> {
  // Its own sandbox needs more than a container may give; it sees nothing but the test's own server.
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
    timeout: PATIENCE_MS,
  });
}

/** Opens a page that collects forbidden events: messages on the console, and requests to other servers. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) faults.push(`it asks for ${request.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}

/** Rules of axe whose answer is another in other colours. */
export const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Lists the violations of WCAG 2.2, levels A and AA, and of good practice, that axe finds: rule and first place. The policy of the page stays
 * in force.
 * @param rules only these are checked
 */
export async function accessibilityFaults(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(AXE);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const only = rules ? { type: 'rule', values: rules } : { type: 'tag', values: tags };
  return page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    // Only what is read below: other results would take as long as the rules.
    const lean = { resultTypes: ['violations'], selectors: false, preload: { assets: ['media'] } };
    const { violations } = await axe.run({ runOnly, ...lean });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  }, only);
}
