import type { Note } from '@proctor/database';
import { packagePath, shortRunPath } from '../../runs/page-paths';
import type { Viewer } from '../../sessions/viewer';

/** A note, for pages. */
export function viewOfNote(note: Note, { user, isAdmin }: Viewer, bugUrl: string) {
  return {
    noteId: note.noteId,
    text: note.text,
    bugs: note.bugs.map((bug) => ({ name: bugName(bug), url: bugAddress(bug, bugUrl) })),
    about: aboutOf(note),
    author: note.author,
    writtenAt: note.writtenAt,
    changedAt: note.changedAt,
    withdrawnAt: note.withdrawnAt,
    runUrl: note.runId === null ? null : shortRunPath(note.runId),
    runId: note.runId,
    mayChange: isAdmin || (user !== null && user.userId === note.authorId),
  };
}

function aboutOf({ subject, package: name, suite, arch, runId }: Note): string {
  const alike = runId === null ? '' : ', while it fails like this';
  if (subject === 'error') return 'every package with this error';
  return subject === 'package' ? `${name} everywhere${alike}` : `${name} on ${suite}/${arch}${alike}`;
}

const NAME_LENGTH_MAX = 60;

function bugName(bug: string): string {
  return bug.length > NAME_LENGTH_MAX ? `${bug.slice(0, NAME_LENGTH_MAX)}…` : bug;
}

/** The address of a bug. @param template `api.bugUrl` */
function bugAddress(bug: string, template: string): string {
  return bug.startsWith('#') ? template.replaceAll('{bug}', bug.slice(1)) : bug;
}

/** The page that shows a note. */
export function pathOfNote({ subject, runId, package: name, suite, arch }: Note): string {
  if (runId !== null) return shortRunPath(runId);
  return subject === 'place' ? `${packagePath(name)}${suite}/${arch}/` : packagePath(name);
}
