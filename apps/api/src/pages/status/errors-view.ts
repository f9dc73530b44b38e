import { packagePath, shortRunPath } from '../../runs/page-paths';
import type { Signature, SignatureDetailsResource } from '@proctor/resources';
import type { RunView } from '../runs/run-view';

/** The page of one error signature, with some of its runs. */
export function errorView(
  error: SignatureDetailsResource,
  runs: RunView[],
  { before, older }: { before: number | null; older: number | null },
) {
  const { first_line, error_line, lines } = error.excerpt;
  return {
    signature: error.signature,
    title: errorLine(error),
    sentence: errorSentence(error),
    url: error.page_url,
    first: {
      url: shortRunPath(error.first_run_id),
      at: new Date(error.first_at),
      trigger: error.first_trigger ?? '',
    },
    excerpt: lines.map((text, place) => {
      return { number: first_line + place, text, isError: first_line + place === error_line };
    }),
    packages: error.by_package.map(({ package: name, count, last_at }) => ({
      name,
      url: packagePath(name),
      count,
      lastAt: new Date(last_at),
    })),
    packagesLeft: error.packages - error.by_package.length,
    places: error.by_place.map(({ suite, arch, count }) => ({ place: `${suite}/${arch}`, count })),
    runs,
    isNewest: before === null,
    olderUrl: older === null ? null : `${error.page_url}?before=${older}`,
  };
}

/** `Seen 41 times in 7 packages on 3 suites and architectures, first on 2026-11-20 with glibc/2.40-4.` */
function errorSentence(error: Signature): string {
  const places = error.places === 1 ? '1 suite and architecture' : `${error.places} suites and architectures`;
  const packages = error.packages === 1 ? '1 package' : `${error.packages} packages`;
  const trigger = error.first_trigger ? ` with ${error.first_trigger}` : '';
  const times = error.count === 1 ? 'once' : `${countWords(error)} times`;
  return `Seen ${times} in ${packages} on ${places}, first on ${error.first_at.slice(0, 10)}${trigger}.`;
}

export function countWords({ count, is_more }: Signature): string {
  return is_more ? `more than ${count}` : String(count);
}

/** The line of the error, or the first line when the excerpt does not include it. */
export function errorLine({ excerpt, signature }: Signature): string {
  const { first_line, error_line, lines } = excerpt;
  return (lines[error_line - first_line] ?? lines[0] ?? '').trim() || `Error ${signature}`;
}
