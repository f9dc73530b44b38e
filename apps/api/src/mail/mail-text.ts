import { timestamp } from '@proctor/contracts';
import { nameHidden } from '../http/hidden-characters';
import { markup, type Html } from '../pages/layout/html';
import { type DigestEntry, ENTRIES_MAX } from './digest';

/** A mail as plain text and as HTML. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** The service that a mail comes from. */
export interface MailOrigin {
  name: string;
  /** Its address, without a slash at its end. */
  base: string;
}

const SUBJECT_LENGTH_MAX = 150;
const LINE_LENGTH_MAX = 300;

/** The mail with what has changed since a time. */
export function digestText(
  entries: DigestEntry[],
  since: Date,
  { name, base }: MailOrigin,
  links: { settingsUrl: string; unsubscribeUrl: string },
): MailText {
  const { settingsUrl, unsubscribeUrl } = links;
  const entriesOfMail = entries.slice(0, ENTRIES_MAX);
  const moreCount = entries.length - entriesOfMail.length;
  const lead = `What you follow at ${name} (${base}) has changed since ${timestamp(since)}:`;
  const rest = moreCount > 0 ? [`There are ${moreCount} more changes: ${settingsUrl}`] : [];
  return {
    subject: subjectOf(entries),
    text: lines([
      lead,
      ...entriesOfMail.map(({ text, errorLine, path }) =>
        [text, ...(errorLine === null ? [] : [`    ${errorLine}`]), base + path].map(oneLine).join('\n'),
      ),
      ...rest,
      `What you follow, and how often you get mail: ${settingsUrl}`,
      `End these mails: ${unsubscribeUrl}`,
    ]),
    html: page(name, [
      markup`<p>${lead}</p>`,
      markup`<ul>${entriesOfMail.map(({ text, errorLine, path }) => {
        const error = errorLine === null ? null : markup`<br><code>${oneLine(errorLine)}</code>`;
        return markup`<li><a href="${base + path}">${oneLine(text)}</a>${error}</li>`;
      })}</ul>`,
      ...rest.map((text) => markup`<p>${text}</p>`),
      markup`<p><a href="${settingsUrl}">What you follow, and how often you get mail</a></p>`,
      markup`<p><a href="${unsubscribeUrl}">End these mails</a></p>`,
    ]),
  };
}

/** The mail with the link that confirms an address. */
export function confirmText(userName: string, { name, base }: MailOrigin, confirmUrl: string): MailText {
  const lead = `The user ${userName} of ${name} (${base}) wants to get mail at this address.`;
  const rest = 'If this is not you, ignore this mail: nothing else is sent.';
  return {
    subject: `Confirm your address for ${name}`,
    text: lines([lead, `Confirm it here: ${confirmUrl}`, rest]),
    html: page(name, [
      markup`<p>${lead}</p>`,
      markup`<p><a href="${confirmUrl}">Confirm the address</a></p>`,
      markup`<p>${rest}</p>`,
    ]),
  };
}

function subjectOf(entries: DigestEntry[]): string {
  const [first, ...others] = entries;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return oneLine(first?.text ?? '').slice(0, SUBJECT_LENGTH_MAX) + more;
}

/** Words of strangers never begin a line or a header of their own. */
function oneLine(text: string): string {
  const line = nameHidden(text.replace(/[\r\n\t\u0085\u2028\u2029]+/g, ' '));
  return line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line;
}

function lines(paragraphs: string[]): string {
  return `${paragraphs.join('\n\n')}\n`;
}

function page(title: string, parts: Html[]): string {
  return markup`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${parts}</body></html>`
    .text;
}
