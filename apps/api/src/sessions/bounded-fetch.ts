/** The maximum length of an answer of a login provider: its metadata, keys and tokens have a few KiB. */
export const PROVIDER_ANSWER_BYTES_MAX = 512 * 1024;

/**
 * Like `fetch`, but reads only answers of limited length. Redirections are not followed.
 * @throws TypeError for a longer answer
 */
export async function boundedFetch(url: string, options: object): Promise<Response> {
  const answer = await fetch(url, { ...options, redirect: 'manual' });
  if (!answer.body) return answer;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    // The end of the loop closes the connection.
    if (bytes > PROVIDER_ANSWER_BYTES_MAX)
      throw new TypeError(
        `the answer of the login provider has more than ${PROVIDER_ANSWER_BYTES_MAX} bytes`,
      );
    parts.push(part);
  }
  const { status, statusText, headers } = answer;
  return new Response(Buffer.concat(parts), { status, statusText, headers });
}
