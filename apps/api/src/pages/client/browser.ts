import { writeAges } from './ages';
import { readCharts } from './chart';
import { offerCopy } from './copy';
import { followPage } from './live';
import { enliven } from './log';
import { followTail } from './log-tail';
import { previewForm } from './preview';
import { offerShortcuts } from './shortcuts';
import { offerSuggestions } from './suggestions';

const AGES_EVERY_MS = 30_000;

writeAges(document);
setInterval(() => writeAges(document), AGES_EVERY_MS);
offerShortcuts();
readCharts();
for (const input of document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('[data-suggest]'))
  offerSuggestions(input);
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-preview]')) previewForm(form);
for (const block of document.querySelectorAll<HTMLElement>('pre[data-copy]')) offerCopy(block);
const { follow } = document.body.dataset;
if (follow !== undefined) {
  const updateTail = followTail(() => refresh());
  const refresh = followPage(follow, updateTail);
  updateTail();
}
const lines = document.getElementById('log-lines');
if (lines) enliven(lines);
