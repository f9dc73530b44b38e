/** Characters that change the order of the text around them: Trojan Source (CVE-2021-42574). */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
/** Commands of terminals, and characters that HTML or XML cannot contain. */
const UNSEEN = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]|\p{Surrogate}/gu;

/**
 * Makes hidden characters visible: those that change the order become `[U+202E]`, other control characters U+FFFD.
 */
export function nameHidden(text: string): string {
  return text
    .replace(UNSEEN, '\ufffd')
    .replace(TURNS, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`);
}
