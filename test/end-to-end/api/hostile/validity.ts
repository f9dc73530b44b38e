import { HtmlValidate, type Message, type RuleConfig } from 'html-validate';

/** Rules of html-validate that are of taste, or against what is meant here. */
const STYLE: RuleConfig = {
  'doctype-style': 'off',
  'no-implicit-input-type': 'off',
  // A region that is scrolled has the focus, whatever its element.
  'prefer-native-element': 'off',
  // In `<noscript>`, for pages that move.
  'meta-refresh': 'off',
  // A package may have a long name.
  'long-title': 'off',
  // The search is sent by the key that sends each form.
  'wcag/h32': 'off',
  // Boxes of one name are one list.
  'form-dup-name': ['error', { shared: ['radio', 'button', 'reset', 'submit', 'checkbox'] }],
};

const validator = new HtmlValidate({ extends: ['html-validate:recommended'], rules: STYLE });

/** What makes a page invalid HTML. */
export async function validityFaults(html: string): Promise<Message[]> {
  return (await validator.validateString(html)).results.flatMap(({ messages }) => messages);
}
