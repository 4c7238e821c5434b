import { errors } from '@elastic/elasticsearch';

const LONGEST_TEXT = 400;

/**
 * Describes a failed request. An error response contributes its HTTP status, and the text of its body in one
 * line. A 413 from Elasticsearch has no body, and the body from a proxy is an HTML page. Every other error
 * contributes its message.
 */
export function failureReason(error: unknown): string {
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof errors.ResponseError)) return message || name;
  const text = message
    .replace(/<(style|script)\b.*?<\/\1>|<[^>]*>/gis, ' ')
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  const shown = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return `HTTP status ${error.statusCode}${shown ? `: ${shown}` : ', and the response has no text'}`;
}
