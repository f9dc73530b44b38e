/** Orders the characters around it otherwise than they stand there: Trojan Source (CVE-2021-42574). */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
/** Commands of terminals, and what neither HTML nor XML can hold. */
const UNSEEN = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]|\p{Surrogate}/gu;

/** A text in which nothing works without being seen: what turns an order is named `[U+202E]`, other controls are U+FFFD. */
export function nameHidden(text: string): string {
  return text
    .replace(UNSEEN, '\ufffd')
    .replace(TURNS, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`);
}
