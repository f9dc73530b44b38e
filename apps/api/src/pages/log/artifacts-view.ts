import { sizeText } from '@proctor/contracts';
import type { AttemptRecord, RunRecord } from '@proctor/database';
import type { ArtifactsIndex } from '@proctor/result-files';
import { artifactsPath, logPath, runPath } from '../../runs/page-paths';
import { fileUrl } from '../../runs/result-object';
import { visible } from './line-html';

/** A file that is no longer is offered to be read in the browser too. */
const SHOWN_BYTES_MAX = 8 * 1024 * 1024;

/** What the page of a run's artifacts shows. @param archive null: there are none */
export function artifactsView(
  run: RunRecord,
  { attempt }: AttemptRecord,
  asked: number | null,
  archive: { index: ArtifactsIndex; size: number } | null,
) {
  const query = asked === null ? '' : `attempt=${asked}&`;
  const { members = [], membersTotal = 0 } = archive?.index ?? {};
  const isLatest = run.attempt === attempt;
  return {
    run,
    runUrl: runPath(run),
    logUrl: logPath(run),
    attempt,
    membersTotal,
    archiveUrl: isLatest ? fileUrl(run, 'artifacts.tar.gz') : null,
    archiveSize: archive && sizeText(archive.size),
    files: [...members].sort(byPath).map(({ path, size }) => {
      const url = `${artifactsPath(run)}${path.split('/').map(encodeURIComponent).join('/')}`;
      return {
        name: visible(path),
        size: sizeText(size),
        url: `${url}${query === '' ? '' : `?${query.slice(0, -1)}`}`,
        textUrl: size <= SHOWN_BYTES_MAX ? `${url}?${query}text=yes` : null,
      };
    }),
  };
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}
