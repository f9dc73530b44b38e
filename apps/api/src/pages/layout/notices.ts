import MarkdownIt from 'markdown-it';
import { Html } from './html';

/** Markdown without HTML and pictures: pages must not load anything from other servers. */
const MARKDOWN = new MarkdownIt({ html: false }).disable('image');

/** A notice of the deployment as HTML: one line of Markdown with links, emphasis and code. */
export function noticeHtml(text: string): Html {
  return new Html(MARKDOWN.renderInline(text));
}
