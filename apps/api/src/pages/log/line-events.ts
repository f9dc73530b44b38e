import { nameHidden } from '../../http/hidden-characters';
import { endEvent, message, noteEvent } from '../../logs/event-stream';
import type { LogEvent } from '../../logs/log-follower';
import type { Templates } from '../layout/templates';
import type { AddedLines, LogPlace, LiveLines } from './live-lines';

/**
 * A live log as events for the script of its page. `lines` is HTML to be added, and its id the place where the next line begins;
 * `note` is said of the log; `stale`: the page is to be asked for again; `end`: the attempt has ended, so that it is too.
 */
export async function* lineEvents(
  events: AsyncIterable<LogEvent>,
  lines: LiveLines,
  templates: Templates,
): AsyncGenerator<string> {
  let outline = '';
  for await (const event of events) {
    if (event.kind === 'end') {
      yield endEvent(event.attempt);
      return;
    }
    if (event.isNote) {
      yield noteEvent(nameHidden(event.data.toString('utf8').trim()));
      continue;
    }
    const forgotten = lines.add(event.offset, event.data);
    if (lines.isStale) {
      yield message('stale', {});
      return;
    }
    if (forgotten > 0) yield noteEvent(`${forgotten} bytes of the log are not there any more.`);
    const added = lines.added();
    if (!added) continue;
    const changed = templates.render('log/outline', added);
    yield linesEvent(added, templates.render('log/parts', added), changed === outline ? null : changed);
    outline = changed;
  }
}

function linesEvent({ from, lines, next }: AddedLines, html: string, outline: string | null): string {
  return `id: ${placeText(next)}\n${message('lines', { from, lines, html, outline })}`;
}

/** The id of an event. */
export function placeText({ offset, line }: LogPlace): string {
  return `${offset}.${line}`;
}

/** The place that a client which comes again names; null when it names none. */
export function placeOf(lastEventId: string | undefined): LogPlace | null {
  const [, offset, line] = /^(\d{1,15})\.(\d{1,15})$/.exec(lastEventId ?? '') ?? [];
  return offset === undefined ? null : { offset: Number(offset), line: Number(line) };
}
