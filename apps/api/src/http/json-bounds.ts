/** A request for 20,000 runs with everything that an item may have stays far below. */
export const JSON_VALUES_MAX = 2_000_000;
/** Everything of the interface is at most five deep. */
export const JSON_DEPTH_MAX = 64;
/** Different names in a whole text. An item has less than twenty; each one that is new costs the parser much more than one it has seen. */
export const JSON_NAMES_MAX = 1_000;
/** Bytes of a string, a number or white space, as they stand in the text. The longest text of a request has a tenth of it. */
export const JSON_TOKEN_BYTES_MAX = 1024 * 1024;
