import { FIELDS } from '@proctor/request-fields';
import { Problem } from '../../http/problem';
import type { DryRunAnswer } from '../../runs/dry-run';
import { estimateInWords } from '../layout/times';
import { linesOf } from './file-lines';
import { inputName } from './request-fields';

/** Lines of each kind in a preview. */
const LINES_SHOWN = 100;

/** The mistakes of a form, without places in the JSON and without repetitions. */
export function mistakesOfForm({ detail, errors }: Problem): string[] {
  const details = errors.length > 0 ? errors.map((error) => error.detail) : [detail];
  return [...new Set(details.map(withoutPlace))];
}

/** The problem with its mistakes at the fields of the form, each once. */
export function inForm({ status, detail, errors }: Problem): Problem {
  const mistakes = new Map<string, Set<string>>();
  for (const error of errors) {
    const pointer = `#/${fieldAt(error.pointer)}`;
    mistakes.set(pointer, (mistakes.get(pointer) ?? new Set()).add(withoutPlace(error.detail)));
  }
  return new Problem(status, withoutPlace(detail), {
    errors: [...mistakes].map(([pointer, details]) => ({ pointer, detail: [...details].join('; ') })),
  });
}

function withoutPlace(detail: string): string {
  return detail.replace(/^tests\[\d+\](?:\.tests\[\d+\])?[. ]/, '');
}

/** The field of the form for a place in the batch, such as `#/tests/0/tests/3/pin-packages/0`. */
function fieldAt(pointer: string): string {
  const key = pointer.split('/').find((part) => !/^(#|tests|\d+)$/.test(part)) ?? 'package';
  const field = FIELDS.find(({ sent }) => sent === key);
  if (field) return inputName(field);
  return key === 'package' ? 'packages' : key;
}

/** The problem with its mistakes at the field of the file, each in a line of its own and with the line of the file. */
export function inFile({ status, detail, errors }: Problem, file: string): Problem {
  const lineAt = linesOf(file);
  const mistakes = errors.map((error) => {
    const line = lineAt(error.pointer);
    return line === null ? error.detail : `Line ${line}: ${error.detail}`;
  });
  const all = mistakes.length > 0 ? mistakes.join('\n') : detail;
  return new Problem(status, detail, { errors: [{ pointer: '#/tests', detail: all }] });
}

/** The preview of a request, for its page. */
export function previewView({ runs, ignored, waits, warnings }: DryRunAnswer) {
  const doubles = runs.flatMap(({ doubles: runId, ...run }) => (runId === null ? [] : { ...run, runId }));
  return {
    sentence: sentenceOf(runs.length, doubles.length, ignored.length),
    waits: waits.map((wait) => ({ place: `${wait.suite}/${wait.arch}`, words: waitWords(wait) })),
    doubles: doubles.slice(0, LINES_SHOWN),
    ignored: ignored.slice(0, LINES_SHOWN).map(({ package: name, arch, reason }) => ({
      subject: arch === undefined ? name : `${name} on ${arch}`,
      reason: reason === 'reject-list' ? 'it is on the reject list' : 'the name is not valid',
    })),
    more: Math.max(0, doubles.length - LINES_SHOWN) + Math.max(0, ignored.length - LINES_SHOWN),
    warnings,
  };
}

function sentenceOf(runs: number, doubles: number, ignored: number): string {
  const would = `${runs === 0 ? 'Nothing' : runs === 1 ? 'One run' : `${runs} runs`} would be requested`;
  const rest = ignored > 0 ? `, ${ignored} ignored` : '';
  const which = runs === 1 ? 'It' : doubles === 1 ? 'One of them' : `${doubles} of them`;
  const what =
    doubles === 1 ? 'repeats a run that is waiting or running' : 'repeat runs that are waiting or running';
  return `${would}${rest}.${doubles === 0 ? '' : ` ${which} ${what}.`}`;
}

/** `2 runs, after 3 waiting runs, done in about 12 min` */
function waitWords(wait: DryRunAnswer['waits'][number]): string {
  const { runs, waiting, estimate_seconds: seconds, paused, reasons } = wait;
  const added = runs === 1 ? '1 run' : `${runs} runs`;
  const waitingRuns = `${waiting} waiting ${waiting === 1 ? 'run' : 'runs'}`;
  const [reason] = reasons;
  if (paused) return `${added}, after ${waitingRuns}; paused: ${paused.reason}`;
  if (waiting === 0) return `${added}, next in line${reason === undefined ? '' : `; ${reason}`}`;
  const until = seconds === null ? reason : `done in ${estimateInWords(seconds)}`;
  return `${added}, after ${waitingRuns}${until === undefined ? '' : `, ${until}`}`;
}

/** A curl command for the same request. @param base the address of this server */
export function curlOf(json: string, base: string): string {
  return `curl --fail --header "Auth-Key: $KEY" --header "Content-Type: application/json" \\
  --data-binary @- ${base}/api/v1/test/batch <<'END'
${json}
END`;
}
