/** What a password must have, in characters. */
export interface PasswordPolicy {
  /** A short one is guessed by who has a copy of its hash, however slow a guess is. */
  lengthMin: number;
  /** Beside its user's name, common passwords and sequences. */
  ownCharactersMin: number;
  differentCharactersMin: number;
}

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
 * Why a password is guessed too soon, in words that say nothing of it; null: it is not.
 * @param userName whose it is to be
 */
export function weaknessOf(password: string, userName: string, policy: PasswordPolicy): string | null {
  const { lengthMin, ownCharactersMin, differentCharactersMin } = policy;
  if ([...password].length < lengthMin) return `must have ${lengthMin} characters or more`;
  const lower = password.normalize('NFKC').toLowerCase();
  if (new Set(lower).size < differentCharactersMin)
    return `must have ${differentCharactersMin} different characters or more`;
  const rest = withoutSequences(lower.replaceAll(userName.toLowerCase(), '').replace(COMMON, ''));
  if ([...rest].length >= ownCharactersMin) return null;
  return `must have ${ownCharactersMin} characters or more beside the user's name, common passwords and sequences such as 12345`;
}
