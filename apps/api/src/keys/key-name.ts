import { Length } from 'class-validator';
import { refused } from '../http/problem';
import { IsStorableText } from '../shape/is-storable-text';
import { must } from '../shape/must';
import { copyOf, faultsOf } from '../shape/shape';
import type { Parameters } from '../transport/parameters';

const LENGTH_MAX = 100;
const RULE = must(`be a string of 1 to ${LENGTH_MAX} characters without NUL`);

/** The shape of a request for a key. */
class NewKey {
  @Length(1, LENGTH_MAX, RULE)
  @IsStorableText(RULE)
  name: string;
}

/**
 * What its user calls a key.
 * @throws Problem 400
 */
export function keyNameOf(parameters: Parameters): string {
  const name = parameters.get('name');
  const newKey = copyOf(NewKey, ['name'], name ? { name: name.value } : {});
  const [fault] = faultsOf(newKey);
  if (!fault) return newKey.name;
  throw refused(`name ${fault.detail}.`, name?.pointer ?? null);
}
