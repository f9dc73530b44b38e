import { sizeText } from './size';

/** Rules by which files and rows are removed. */
type ExpiryRule =
  | 'artifacts of passed runs'
  | 'artifacts of failed runs'
  | 'logs'
  | 'files of a package'
  | 'facts and attempts'
  | 'runs';

/** The text in the row of a run about its removed files: the rule, and its limit at that time in days or bytes. */
export function removedBy(rule: ExpiryRule, limit: number): string {
  return `${rule}: ${limit}`;
}

/** The rule for people: `logs are kept for 180 days`. @param text from `removedBy` */
export function ruleSentence(text: string): string {
  const [rule = '', limit = ''] = text.split(': ');
  if (rule === 'files of a package') return `files of a package are kept up to ${sizeText(Number(limit))}`;
  return `${rule} are kept for ${limit === '1' ? 'a day' : `${limit} days`}`;
}
