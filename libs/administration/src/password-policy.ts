/** So many characters a password must have beside its user's name, and so many different ones. */
const CHARACTERS_OF_ITS_OWN_MIN = 8;
const DIFFERENT_CHARACTERS_MIN = 5;

/** Of a password that is made of these and little else, the rest is guessed first: they lead each list of common passwords. */
const COMMON =
  /p[a@4][s5$]{2}w[o0]rd|passwort|qwerty(uiop)?|qwertz(uiop)?|azerty(uiop)?|asdfgh(jkl)?|zxcvbn(m)?|letmein|welcome|iloveyou|administrator|admin|proctor|changeme|default|monkey|dragon|football|baseball|sunshine|princess/giu;

/** `abcdef`, `654321`: runs of four or more that only go on. */
function withoutSequences(text: string): string {
  const kept: string[] = [];
  let sequence = '';
  let step = 0;
  const flush = (): void => {
    if (sequence.length < 4) kept.push(sequence);
    sequence = '';
  };
  for (const character of text) {
    const next = sequence === '' ? 0 : character.codePointAt(0)! - sequence.codePointAt(sequence.length - 1)!;
    const goesOn = Math.abs(next) <= 1 && (sequence.length < 2 || next === step);
    if (sequence !== '' && !goesOn) flush();
    step = next;
    sequence += character;
  }
  flush();
  return kept.join('');
}

/**
 * Why a password is guessed too soon, in words that say nothing of it; null: it is not. Its length is judged elsewhere.
 * @param userName whose it is to be
 */
export function weaknessOf(password: string, userName: string): string | null {
  const lower = password.normalize('NFKC').toLowerCase();
  if (new Set(lower).size < DIFFERENT_CHARACTERS_MIN)
    return `must have ${DIFFERENT_CHARACTERS_MIN} different characters or more`;
  const rest = withoutSequences(lower.replaceAll(userName.toLowerCase(), '').replace(COMMON, ''));
  if ([...rest].length >= CHARACTERS_OF_ITS_OWN_MIN) return null;
  return `must have ${CHARACTERS_OF_ITS_OWN_MIN} characters or more beside the user's name, common passwords and sequences such as 12345`;
}
