import { queryValue, wholeNumber } from '../../http/parameter-values';

const NUMBER_MAX = 999_999_999;

/** The highest page number of a list. To find a page by number, all rows before it must be read. */
export const LIST_PAGES_MAX = 20;

/** The parameter `page` of debci's lists; null when it is absent. */
export const PAGE_NUMBER = queryValue(wholeNumber(1, NUMBER_MAX));
