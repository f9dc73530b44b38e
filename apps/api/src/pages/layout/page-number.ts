import { queryValue, wholeNumber } from '../../http/parameter-values';

const NUMBER_MAX = 999_999_999;

/** Pages of a list that can be asked for by number: all rows before one are read to find where it begins. */
export const LIST_PAGES_MAX = 20;

/** The parameter `page` of debci's lists; null when it is absent. */
export const PAGE_NUMBER = queryValue(wholeNumber(1, NUMBER_MAX));
