/** The requirements on a password, in numbers of characters. */
export interface PasswordPolicy {
  /** The minimum length: whatever the cost of a guess, a short password can be guessed from a copy of its hash. */
  lengthMin: number;
  /** The minimum number of characters apart from the user's name, common passwords and sequences. */
  ownCharactersMin: number;
  differentCharactersMin: number;
}

/** Common passwords. They lead each list for guessing, so the rest of a password with them is guessed early. */
const COMMON =
  /p[a@4][s5$]{2}w[o0]rd|passwort|qwerty(uiop)?|qwertz(uiop)?|azerty(uiop)?|asdfgh(jkl)?|zxcvbn(m)?|letmein|welcome|iloveyou|administrator|admin|proctor|changeme|default|monkey|dragon|football|baseball|sunshine|princess/giu;

/** The text without sequences: four or more characters that go up or down, such as `abcdef` and `654321`. */
function withoutSequences(text: string): string {
  const rest: string[] = [];
  let sequence = '';
  let step = 0;
  const flush = (): void => {
    if (sequence.length < 4) rest.push(sequence);
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
  return rest.join('');
}

/**
 * Why a password is too easy to guess, in words that do not reveal it; null if it is not.
 * @param userName the name of its user
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
